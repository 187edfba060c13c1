/*
 * bfc_tree: the free chunks of one BFC table, in bins by size, each bin an ordered tree.
 *
 * Owns:        bin_bitmap and bin_root of hp_bfc; left and right of the records of free chunks.
 * Invariants:  B3, B4 and B5 of bfc.h (hp_bfc_bins_check).
 *   A tree is a treap whose priority is a hash of the start page, so nothing is stored for balance.
 *   The hash is one-to-one: no two priorities are equal, and the same free chunks always make the
 *   same tree, in whatever order they came.
 *   The key fields of a chunk (start_page, page_count, dirty) do not change while it is in a tree.
 * Threads:     sequential, under the claim that covers the hp_bfc.
 * Ordering:    none.
 * Progress:    each function goes down one path of one tree, in a loop: O(log n) expected in the
 *              chunks of that bin, and the stack stays flat however deep the tree is.
 * Calls:       nothing.
 * Used by:     bfc.
 */
#pragma once

#include "arena/bfc.h"

/*
 * The order of best fit as one number: fewer pages, then dirty, then the lower address. The lower
 * bound of all chunks that hold n pages is hp_bfc_least_key(n).
 */
static inline uint64_t hp_bfc_key(const hp_bfc_chunk *chunk)
{
    return (uint64_t)chunk->page_count << 32 | (uint64_t)(chunk->dirty ? 0 : 1) << 31 |
           chunk->start_page;
}

static inline uint64_t hp_bfc_least_key(uint32_t page_count)
{
    return (uint64_t)page_count << 32;
}

/* The bin that chunks of page_count pages are kept in; page_count is 1 to HP_BFC_MAX_PAGES. */
uint32_t hp_bfc_bin_of_pages(uint32_t page_count);

/* Every bin empty. */
void hp_bfc_bins_init(hp_bfc *bfc);

/* The chunk is in no tree; its key fields are final until it is removed. */
void hp_bfc_bins_insert(hp_bfc *bfc, uint32_t chunk);

/* The chunk is in the tree of its bin. */
void hp_bfc_bins_remove(hp_bfc *bfc, uint32_t chunk);

/* The chunk with the least key that is not below key, or HP_BFC_NONE. */
uint32_t hp_bfc_bins_at_least(const hp_bfc *bfc, uint64_t key);

/* The chunk with the greatest key, or HP_BFC_NONE. */
uint32_t hp_bfc_bins_greatest(const hp_bfc *bfc);

/* B3 to B5, given that B1 holds. NULL or the sentence of hp_bfc_check. O(n log n). */
const char *hp_bfc_bins_check(const hp_bfc *bfc);
