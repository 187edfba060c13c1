#include "arena/large.h"

#include "arena/arena.h"
#include "arena/huge.h"
#include "metadata/size_class.h"
#include "platform/system.h"

void *hp_large_reuse(size_t bytes)
{
    hp_placed_run run = hp_arena_reuse(hp_pages_of(bytes));
    if (HP_LIKELY(run.start != NULL)) {
        hp_map_set_page(run.start, run.entry);
    }
    return run.start;
}

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
    hp_map_set_page(run.start, hp_entry_of_run(run.region->number, run.chunk));
    return run.start;
}

/*
 * Only the first page of a block has an entry, so an address at the start of that page is the block's. Nothing
 * else is looked at: a block that another thread frees at this moment may be gone with its region.
 */
static bool is_start(const void *pointer)
{
    return ((uintptr_t)pointer & (HP_MAP_PAGE_BYTES - 1)) == 0;
}

bool hp_large_free(hp_entry entry, void *pointer)
{
    /* Of two threads that free the same block one gets the entry; the other is told. */
    if (!is_start(pointer) || !hp_map_retire(pointer, entry)) {
        return false;
    }
    if (hp_entry_kind(entry) == HP_KIND_HUGE) {
        hp_huge_free(hp_entry_record(entry));
    } else {
        hp_region_free(hp_arena_region(hp_entry_region(entry)), hp_entry_chunk(entry));
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
    hp_region *region = hp_arena_region(hp_entry_region(entry));
    return hp_region_resize(region, hp_entry_chunk(entry), hp_pages_of(bytes)) ? pointer : NULL;
}
