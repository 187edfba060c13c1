#include "arena/large.h"

#include "arena/arena.h"
#include "arena/huge.h"
#include "metadata/size_class.h"
#include "platform/system.h"

/* The class that serves a run of so many bytes; 0: none, it is as long as it must be. */
static unsigned class_of_run(size_t bytes)
{
    return bytes > HP_SLAB_MAX_SLOT_BYTES && bytes <= HP_RUN_CLASS_MAX_BYTES
               ? hp_medium_class_of(bytes)
               : 0;
}

static size_t run_bytes(size_t bytes, unsigned size_class)
{
    return size_class == 0 ? bytes : hp_class_bytes(size_class);
}

void *hp_large_reuse(size_t bytes)
{
    unsigned size_class = class_of_run(bytes);
    hp_placed_run run = hp_arena_reuse(hp_pages_of(run_bytes(bytes, size_class)));
    if (HP_LIKELY(run.start != NULL)) {
        hp_map_set_page(run.start, hp_entry_with_class(run.entry, size_class));
    }
    return run.start;
}

static bool is_run(size_t bytes, size_t align_bytes)
{
    return bytes <= HP_RUN_MAX_BYTES && align_bytes <= HP_REGION_ALIGN_BYTES;
}

/* What the arena is asked for. */
static size_t arena_bytes(size_t bytes, unsigned size_class)
{
    return hp_round_up(run_bytes(bytes, size_class), hp_page_bytes());
}

static void *hand_out(const hp_run *run, unsigned size_class)
{
    hp_entry entry = hp_entry_of_run(run->region->number, run->chunk);
    hp_map_set_page(run->start, hp_entry_with_class(entry, size_class));
    return run->start;
}

void *hp_large_allocate(size_t bytes, size_t align_bytes, bool *zeroed)
{
    if (!is_run(bytes, align_bytes)) {
        return hp_huge_allocate(bytes, align_bytes, zeroed);
    }
    unsigned size_class = class_of_run(bytes);
    hp_run run;
    if (!hp_arena_take(arena_bytes(bytes, size_class), align_bytes, &run)) {
        return NULL;
    }
    *zeroed = run.zeroed;
    return hand_out(&run, size_class);
}

bool hp_large_clear(void *start)
{
    hp_entry entry = hp_map_get(start);
    return hp_entry_kind(entry) == HP_KIND_HUGE && hp_huge_clear(hp_entry_record(entry));
}

void *hp_large_allocate_touched(size_t bytes, size_t align_bytes)
{
    unsigned size_class = class_of_run(bytes);
    hp_run run;
    return is_run(bytes, align_bytes) &&
                   hp_arena_take_touched(arena_bytes(bytes, size_class), align_bytes, &run)
               ? hand_out(&run, size_class)
               : NULL;
}

/*
 * Only the first page of a block has an entry, so an address at the start of that page is the block's. Nothing
 * else is looked at: a block that another thread frees at this moment may be gone with its region.
 */
static bool is_start(const void *pointer)
{
    return ((uintptr_t)pointer & (HP_MAP_PAGE_BYTES - 1)) == 0;
}

bool hp_large_retire(hp_entry entry, void *pointer)
{
    /* Of two threads that free the same block one gets the entry; the other is told. */
    return is_start(pointer) && hp_map_retire(pointer, entry);
}

void hp_large_free_run(hp_entry entry)
{
    hp_region_free(hp_arena_region(hp_entry_region(entry)), hp_entry_chunk(entry));
}

bool hp_large_free(hp_entry entry, void *pointer)
{
    if (!hp_large_retire(entry, pointer)) {
        return false;
    }
    if (hp_entry_kind(entry) == HP_KIND_HUGE) {
        hp_huge_free(hp_entry_record(entry));
    } else {
        hp_large_free_run(entry);
    }
    return true;
}

size_t hp_large_usable_bytes(hp_entry entry, const void *pointer)
{
    if (!is_start(pointer)) {
        return 0;
    }
    if (hp_entry_kind(entry) == HP_KIND_HUGE) {
        return hp_huge_usable_bytes(hp_entry_record(entry));
    }
    return hp_region_chunk_bytes(hp_arena_region(hp_entry_region(entry)), hp_entry_chunk(entry));
}

void *hp_large_resize(hp_entry entry, void *pointer, size_t bytes)
{
    if (hp_entry_kind(entry) == HP_KIND_HUGE) {
        return bytes > HP_RUN_MAX_BYTES ? hp_huge_resize(hp_entry_record(entry), bytes) : NULL;
    }
    if (bytes <= HP_SLAB_MAX_SLOT_BYTES || bytes > HP_RUN_MAX_BYTES) {
        return NULL;
    }
    unsigned size_class = class_of_run(bytes);
    if (size_class != 0 && size_class == hp_entry_class(entry)) {
        return pointer;
    }
    hp_region *region = hp_arena_region(hp_entry_region(entry));
    uint32_t pages = hp_pages_of(run_bytes(bytes, size_class));
    if (!hp_region_resize(region, hp_entry_chunk(entry), pages)) {
        return NULL;
    }
    hp_entry resized = hp_entry_of_run(hp_entry_region(entry), hp_entry_chunk(entry));
    hp_map_set_page(pointer, hp_entry_with_class(resized, size_class));
    return pointer;
}
