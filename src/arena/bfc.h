/*
 * bfc: best fit with coalescing over the pages of one address range.
 *
 * Owns:        a table of chunk records; the chunks partition the pages [0, page_count).
 * Invariants:  (hp_bfc_check)
 *   B1  chunks in physical order, from record 0 on, tile the range: no gap, no overlap, previous
 *       and next agree; every other record below record_count is spare.
 *   B2  no two neighbouring chunks are both free.
 *   B3  a free chunk is in the tree of the bin of its page count, a used one in none.
 *   B4  a bin's bit is set exactly when its tree is not empty.
 *   B5  each tree is ordered by (pages, clean after dirty, start page) and is a heap by priority.
 *   B6  free_pages is the sum over the free chunks.
 *   B7  a free chunk is dirty exactly when its dirty range has pages, and these lie in the chunk;
 *       dirty_pages is the sum over the free chunks.
 *   B8  hidden_chunks is the number of free chunks that are hidden or partly so.
 * Threads:     sequential. The caller holds the claim of the region that owns the table.
 * Ordering:    none.
 * Progress:    allocate O(log n) expected in the chunks of one bin, free O(log n) with at most two
 *              merges; no walk over chunks that are too small.
 * Calls:       bfc_tree. It knows pages as numbers and never touches the memory it manages, so that
 *              the same core can manage memory that the processor cannot reach.
 * Used by:     region.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HP_BFC_NONE UINT32_MAX

/* Page numbers stay below 2^31, so that the key of a chunk fits into one 64-bit number. */
#define HP_BFC_MAX_PAGES (UINT32_C(1) << 31)

/* Chunks that an aligned request tries, best fit first, before it takes one that is sure to do. */
#define HP_BFC_ALIGNED_TRIES 4u

/* Exact bins for 1..64 pages, then 8 bins per doubling up to 2^31 pages. */
#define HP_BFC_EXACT_BINS 64u
#define HP_BFC_BINS_PER_DOUBLING 8u
#define HP_BFC_BIN_COUNT (HP_BFC_EXACT_BINS + 25u * HP_BFC_BINS_PER_DOUBLING)
#define HP_BFC_BIN_WORDS ((HP_BFC_BIN_COUNT + 63u) / 64u)

typedef enum hp_bfc_state { HP_BFC_SPARE, HP_BFC_USED, HP_BFC_FREE } hp_bfc_state;

/* Whether core files leave the chunk's pages out. For the core only a mark that splits and merges keep right. */
typedef enum hp_bfc_hiding { HP_BFC_SHOWN, HP_BFC_HIDDEN, HP_BFC_PARTLY_HIDDEN } hp_bfc_hiding;

typedef struct hp_bfc_chunk {
    uint32_t start_page;
    uint32_t page_count;
    uint32_t previous; /* physical neighbour below, or HP_BFC_NONE */
    uint32_t next;     /* physical neighbour above, or HP_BFC_NONE */
    uint32_t left;     /* tree of the bin while free; list of spare records while spare */
    uint32_t right;
    uint32_t freed_at_ms; /* dirty free chunk: when most of it was freed (the clock wraps) */
    uint8_t state;        /* hp_bfc_state */
    bool dirty;           /* a page may hold data; in a used chunk: might when handed out */
    bool given_back; /* used chunk: the holder gave its memory back, it is to be clean once free */
    uint8_t hiding;  /* hp_bfc_hiding; of a used chunk: what it was when it was handed out */
    union {
        uint64_t requested_bytes; /* used chunk: kept for the caller */
        struct {
            uint32_t
                dirty_start_page; /* dirty free chunk: no page outside of this range holds data */
            uint32_t dirty_end_page;
        };
    };
} hp_bfc_chunk;

_Static_assert(sizeof(hp_bfc_chunk) == 40, "a region pays this for every chunk");

typedef struct hp_bfc {
    hp_bfc_chunk *chunks; /* the table; index = chunk handle */
    uint32_t page_count;
    uint32_t record_count; /* records of the table ever used: those beyond are untouched memory */
    uint32_t first_spare;  /* list of given-back records, linked by left */
    uint32_t free_pages;
    uint32_t dirty_pages; /* those in the dirty ranges of free chunks */
    uint32_t hidden_chunks;
    uint32_t
        split_remainder_pages; /* split off a remainder of at least this (1 or more; init: 1) */
    uint64_t bin_bitmap[HP_BFC_BIN_WORDS];
    uint32_t bin_root[HP_BFC_BIN_COUNT];
} hp_bfc;

/* Bytes of zeroed memory that a table for page_count pages needs: every chunk may be 1 page. */
size_t hp_bfc_table_bytes(uint32_t page_count);

/*
 * One free, clean chunk of page_count pages (1 to HP_BFC_MAX_PAGES). The table is zeroed memory of
 * hp_bfc_table_bytes(); only records below record_count are ever written.
 */
void hp_bfc_init(hp_bfc *bfc, void *table, uint32_t page_count);

/* No pages at all: nothing can be had. */
void hp_bfc_init_empty(hp_bfc *bfc);

/*
 * Best fit by size, then dirty before clean, then the lowest address. align_pages is a power of
 * two, and the chunk's start page is a multiple of it (what is cut off in front stays a free
 * chunk). When none of the HP_BFC_ALIGNED_TRIES best fits holds an aligned run, the best fit of
 * page_count + align_pages - 1 pages is taken: a bounded search, so an aligned run elsewhere may be
 * missed. Split when the remainder is at least split_remainder_pages or the chunk at least twice
 * the request. Returns the chunk's handle or HP_BFC_NONE; the chunk's start_page, page_count and
 * dirty are then valid (dirty is false when every page is known to be zero).
 */
uint32_t hp_bfc_allocate(hp_bfc *bfc, uint32_t page_count, uint32_t align_pages);

/* The two halves of it: the free chunk that would be used, or HP_BFC_NONE; and its use. */
uint32_t hp_bfc_find(const hp_bfc *bfc, uint32_t page_count, uint32_t align_pages);
uint32_t hp_bfc_take(hp_bfc *bfc, uint32_t chunk, uint32_t page_count, uint32_t align_pages);

/* Whether what hp_bfc_take would cut out of the chunk mostly has memory; false for HP_BFC_NONE. */
bool hp_bfc_is_touched(const hp_bfc *bfc, uint32_t chunk, uint32_t page_count,
                       uint32_t align_pages);

/*
 * Pages behind the dirty range of the largest free chunk, which mostly is the one that has pages that were
 * never handed out. HP_BFC_NONE: it has not that many.
 */
uint32_t hp_bfc_allocate_untouched(hp_bfc *bfc, uint32_t page_count, uint32_t align_pages);

/*
 * The used chunk becomes free, dirty but for one that was given_back, and merges with free neighbours: its
 * handle is void, that of the free chunk is returned. The dirty range of a merged chunk spans both. Its age is that of the part with more dirty
 * pages, so that a few pages that come and go do not keep a large chunk young.
 */
uint32_t hp_bfc_free(hp_bfc *bfc, uint32_t chunk, uint32_t now_ms);

/*
 * Grow in place to page_count pages out of a free right neighbour; false changes nothing. The chunk
 * becomes dirty when the pages that it gained may hold data.
 */
bool hp_bfc_extend(hp_bfc *bfc, uint32_t chunk, uint32_t page_count);

/*
 * Give back the tail beyond page_count pages (1 <= page_count <= the chunk's); the free chunk that has it
 * then, or HP_BFC_NONE: there was no tail.
 */
uint32_t hp_bfc_shrink(hp_bfc *bfc, uint32_t chunk, uint32_t page_count, uint32_t now_ms);

/* A free chunk's pages read as zeros from now on: the caller gave their memory back to the system. */
void hp_bfc_mark_clean(hp_bfc *bfc, uint32_t chunk);

/* What the caller has told the system about a free chunk, or about a used one that it holds. */
void hp_bfc_mark_hidden(hp_bfc *bfc, uint32_t chunk, hp_bfc_hiding hiding);

/*
 * The upper end of a dirty free chunk's dirty range, at most most_pages of it, becomes a used chunk: to be
 * given back to the system and freed again. The lower addresses, which are handed out first, go last.
 */
uint32_t hp_bfc_take_dirty(hp_bfc *bfc, uint32_t chunk, uint32_t most_pages);

/* Pages of the largest free chunk, 0 when there is none. O(log n). */
uint32_t hp_bfc_largest_free_pages(const hp_bfc *bfc);

/* Pages of the dirty range of a free chunk. */
static inline uint32_t hp_bfc_dirty_pages_of(const hp_bfc_chunk *chunk)
{
    return chunk->dirty ? chunk->dirty_end_page - chunk->dirty_start_page : 0;
}

/* Returns NULL when every invariant holds, else a constant sentence that names the broken one. */
const char *hp_bfc_check(const hp_bfc *bfc);
