#include "arena/large.h"

#include "arena/arena.h"
#include "arena/huge.h"
#include "metadata/size_class.h"
#include "platform/system.h"

void *hp_large_allocate(size_t bytes, size_t align_bytes, bool *zeroed)
{
    if (bytes > HP_RUN_MAX_BYTES || align_bytes > HP_REGION_ALIGN_BYTES) {
        return hp_huge_allocate(bytes, align_bytes, zeroed);
    }
    hp_run run;
    if (!hp_arena_take(hp_round_up(bytes, hp_page_bytes()), align_bytes, &run)) {
        return NULL;
    }
    *zeroed = run.zeroed;
    hp_map_set(run.start, 1, hp_entry_of_run(run.region->number, run.chunk));
    return run.start;
}

/* The run's region when the pointer is the run's start, else NULL. */
static hp_region *region_of_run(hp_entry entry, const void *pointer)
{
    hp_region *region = hp_arena_region(hp_entry_region(entry));
    return region != NULL && hp_region_address(region, hp_entry_chunk(entry)) == pointer ? region
                                                                                         : NULL;
}

static hp_huge *huge_of(hp_entry entry, const void *pointer)
{
    hp_huge *huge = hp_entry_record(entry);
    return huge->start == pointer ? huge : NULL;
}

bool hp_large_free(hp_entry entry, void *pointer)
{
    hp_kind kind = hp_entry_kind(entry);
    hp_region *region = kind == HP_KIND_RUN ? region_of_run(entry, pointer) : NULL;
    hp_huge *huge = kind == HP_KIND_HUGE ? huge_of(entry, pointer) : NULL;
    /* Of two threads that free the same block one gets the entry; the other is told. */
    if ((region == NULL && huge == NULL) || !hp_map_retire(pointer, entry)) {
        return false;
    }
    if (huge != NULL) {
        hp_huge_free(huge);
    } else {
        hp_region_free(region, hp_entry_chunk(entry));
    }
    return true;
}

size_t hp_large_usable_bytes(hp_entry entry, const void *pointer)
{
    if (hp_entry_kind(entry) == HP_KIND_HUGE) {
        hp_huge *huge = huge_of(entry, pointer);
        return huge == NULL ? 0 : hp_huge_usable_bytes(huge);
    }
    hp_region *region = region_of_run(entry, pointer);
    return region == NULL ? 0 : hp_region_chunk_bytes(region, hp_entry_chunk(entry));
}

void *hp_large_resize(hp_entry entry, void *pointer, size_t bytes)
{
    if (hp_entry_kind(entry) == HP_KIND_HUGE) {
        return bytes > HP_RUN_MAX_BYTES ? hp_huge_resize(hp_entry_record(entry), bytes) : NULL;
    }
    if (bytes <= HP_SLAB_MAX_SLOT_BYTES || bytes > HP_RUN_MAX_BYTES) {
        return NULL;
    }
    hp_region *region = hp_arena_region(hp_entry_region(entry));
    uint32_t pages = (uint32_t)(hp_round_up(bytes, hp_page_bytes()) / hp_page_bytes());
    return hp_region_resize(region, hp_entry_chunk(entry), pages) ? pointer : NULL;
}
