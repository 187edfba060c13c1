#include "arena/bfc.h"
#include "arena/bfc_tree.h"

static bool next_is_free(const hp_bfc *bfc, const hp_bfc_chunk *chunk)
{
    return chunk->next != HP_BFC_NONE && bfc->chunks[chunk->next].state == HP_BFC_FREE;
}

/* B1. Each step must start where the last one ended, so the walk cannot run in a circle. */
static const char *check_tiling(const hp_bfc *bfc)
{
    uint32_t page = 0;
    uint32_t chunk_count = 0;
    uint32_t previous = HP_BFC_NONE;
    for (uint32_t chunk = 0; chunk != HP_BFC_NONE; chunk = bfc->chunks[chunk].next) {
        if (chunk >= bfc->record_count || bfc->chunks[chunk].state == HP_BFC_SPARE) {
            return "B1: a chunk has a neighbour that is no chunk";
        }
        const hp_bfc_chunk *record = &bfc->chunks[chunk];
        if (record->start_page != page || record->page_count == 0 ||
            record->page_count > bfc->page_count - page) {
            return "B1: the chunks leave a gap or overlap";
        }
        if (record->previous != previous) {
            return "B1: previous and next disagree";
        }
        page += record->page_count;
        previous = chunk;
        chunk_count++;
    }
    if (page != bfc->page_count) {
        return "B1: the chunks leave a gap or overlap";
    }
    uint32_t spare = bfc->first_spare;
    for (; spare != HP_BFC_NONE && chunk_count < bfc->record_count; chunk_count++) {
        if (spare >= bfc->record_count || bfc->chunks[spare].state != HP_BFC_SPARE) {
            return "B1: the list of spare records holds a chunk";
        }
        spare = bfc->chunks[spare].left;
    }
    bool all_counted = spare == HP_BFC_NONE && chunk_count == bfc->record_count;
    return all_counted ? NULL : "B1: a record is neither a chunk nor spare";
}

/* B2, B6 and B8, given that B1 holds. */
static const char *check_chunks(const hp_bfc *bfc)
{
    uint64_t free_pages = 0;
    uint32_t hidden_chunks = 0;
    for (uint32_t chunk = 0; chunk != HP_BFC_NONE; chunk = bfc->chunks[chunk].next) {
        const hp_bfc_chunk *record = &bfc->chunks[chunk];
        if (record->state == HP_BFC_FREE) {
            free_pages += record->page_count;
            hidden_chunks += record->hiding != HP_BFC_SHOWN;
            if (next_is_free(bfc, record)) {
                return "B2: two neighbouring chunks are both free";
            }
        }
    }
    if (hidden_chunks != bfc->hidden_chunks) {
        return "B8: hidden_chunks is not the number of hidden free chunks";
    }
    return free_pages == bfc->free_pages ? NULL
                                         : "B6: free_pages is not the sum of the free chunks";
}

static bool dirty_range_is_sound(const hp_bfc_chunk *chunk)
{
    return !chunk->dirty || (chunk->dirty_start_page >= chunk->start_page &&
                             chunk->dirty_start_page < chunk->dirty_end_page &&
                             chunk->dirty_end_page <= chunk->start_page + chunk->page_count);
}

/* B7, given that B1 holds. */
static const char *check_dirty_ranges(const hp_bfc *bfc)
{
    uint64_t dirty_pages = 0;
    for (uint32_t chunk = 0; chunk != HP_BFC_NONE; chunk = bfc->chunks[chunk].next) {
        const hp_bfc_chunk *record = &bfc->chunks[chunk];
        if (record->state == HP_BFC_FREE) {
            if (!dirty_range_is_sound(record)) {
                return "B7: the dirty range of a free chunk does not lie in it";
            }
            dirty_pages += hp_bfc_dirty_pages_of(record);
        }
    }
    return dirty_pages == bfc->dirty_pages ? NULL
                                           : "B7: dirty_pages is not the sum of the dirty ranges";
}

const char *hp_bfc_check(const hp_bfc *bfc)
{
    if (bfc->page_count == 0) {
        return bfc->free_pages == 0 ? NULL : "B6: free_pages is not the sum of the free chunks";
    }
    const char *broken = check_tiling(bfc);
    if (broken == NULL) {
        broken = check_chunks(bfc);
    }
    if (broken == NULL) {
        broken = hp_bfc_bins_check(bfc);
    }
    if (broken == NULL) {
        broken = check_dirty_ranges(bfc);
    }
    return broken;
}
