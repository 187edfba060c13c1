#include "arena/hidden.h"

#include "platform/system.h"

_Atomic bool hp_hides_free_pages;

static _Atomic uint32_t
    hidden_total; /* shared: relaxed; of all cores, as their holders last said */

void hp_hidden_set(bool wanted)
{
    /* relaxed: a choice, nothing depends on its order */
    atomic_store_explicit(&hp_hides_free_pages, wanted, memory_order_relaxed);
}

void hp_hidden_count(hp_region *region)
{
    /* relaxed: a bound that need not be exact */
    atomic_fetch_add_explicit(&hidden_total, region->bfc.hidden_chunks - region->hidden_counted,
                              memory_order_relaxed);
    region->hidden_counted = region->bfc.hidden_chunks;
}

/* What is hidden in part becomes one range: that makes no mapping more. */
static bool is_to_be_hidden(const hp_bfc_chunk *chunk, size_t bytes)
{
    if (chunk->hiding != HP_BFC_SHOWN) {
        return chunk->hiding == HP_BFC_PARTLY_HIDDEN;
    }
    /* relaxed: as above */
    uint32_t total = atomic_load_explicit(&hidden_total, memory_order_relaxed);
    return chunk->dirty && bytes >= HP_HIDDEN_LEAST_BYTES && total < HP_HIDDEN_MOST_CHUNKS;
}

void hp_hide_chunk(hp_region *region, uint32_t chunk)
{
    size_t bytes = hp_region_chunk_bytes(region, chunk);
    if (is_to_be_hidden(&region->bfc.chunks[chunk], bytes)) {
        bool whole = hp_system->dump(hp_region_address(region, chunk), bytes, false);
        hp_bfc_mark_hidden(&region->bfc, chunk, whole ? HP_BFC_HIDDEN : HP_BFC_PARTLY_HIDDEN);
    }
}

void hp_show_chunk(hp_region *region, uint32_t chunk)
{
    size_t bytes = hp_region_chunk_bytes(region, chunk);
    if (hp_system->dump(hp_region_address(region, chunk), bytes, true)) {
        hp_bfc_mark_hidden(&region->bfc, chunk, HP_BFC_SHOWN);
    }
}

void hp_hide_mapping(void *start, size_t bytes)
{
    if (hp_hidden_is_wanted()) {
        hp_system->dump(start, bytes, false);
    }
}

void hp_show_mapping(void *start, size_t bytes)
{
    if (hp_hidden_is_wanted()) {
        hp_system->dump(start, bytes, true);
    }
}
