/*
 * region: one address range from the system, its pages handed out by a BFC core of its own.
 *
 * Owns:        the range, the table of the BFC core, one pending link per chunk handle.
 * Invariants:
 *   R1  the core is touched only under the region's claim.
 *   R2  a freed chunk is free in the core, or waits on the pending list or among the recent ones, once.
 *   R3  the published words are what the core and the recent runs said when the claim was last released;
 *       free_pages counts both, dirty_pages those of the core; it is 0 where the kernel keeps the pages.
 *   R4  while a recent run waits, no best fit is cut from pages without memory.
 *   R5  a region with dirty pages or pending frees is watched once its claim is open: the purger comes back.
 * Threads:     hp_region_claim by any; allocate, extend, shrink, purge by the holder of the claim;
 *              hp_region_free by any thread that holds the chunk.
 * Ordering:    P1 (claim), P2 (pending list), P16 (watched).
 * Progress:    wait-free in the number of pending frees. Who fails to claim goes to another region, or
 *              leaves the freed chunk on the pending list. Both who left it and who releases the claim look
 *              once more, so that it seldom waits for the next holder.
 * Calls:       bfc, recent, storage, system.   Used by: arena, slab.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena/bfc.h"
#include "arena/range.h"
#include "arena/recent.h"
#include "metadata/address_map.h"
#include "platform/claim.h"
#include "platform/crossing.h"

typedef struct hp_region {
    /* Shared: what every thread that looks for pages reads. */
    HP_LINE_ALIGNED hp_claim claim;      /* P1 */
    _Atomic uint32_t largest_free_pages; /* relaxed hint */
    _Atomic uint32_t free_pages;         /* relaxed statistic */
    _Atomic uint32_t mapped_pages;       /* relaxed statistic; 0: the range was given back */
    _Atomic uint32_t dirty_pages;        /* relaxed hint: of the core's */
    uint32_t number;                     /* written before publication */
    _Atomic uint64_t recent_sizes;       /* relaxed hint: recent.sizes */
    _Atomic bool watched;                /* P16; set by any, cleared under the claim */
    _Atomic bool abandoned;              /* relaxed; see hp_arena_after_fork */
    /* Written under the claim while no chunk is out; read by whoever holds a chunk. */
    bool born_resident; /* the system gave memory before anybody touched the range */
    char *base;
    size_t page_bytes;
    hp_stack_node *pending_links;
    char *tables;
    HP_LINE_ALIGNED hp_stack pending; /* P2 */
    /* Under the claim. */
    HP_LINE_ALIGNED hp_recent recent;
    bool core_changed;       /* since the claim was taken */
    bool keeps_pages;        /* the kernel refused to take pages back: they are locked */
    uint32_t purge_cursor;   /* record of the core where the purger looks next */
    uint32_t hidden_counted; /* of the core's hidden chunks, in the sum of all */
    hp_bfc bfc;
} hp_region;

/* Where a run lies, and what the address map is to say of it. */
typedef struct hp_placed_run {
    char *start;
    hp_entry entry;
} hp_placed_run;

/* A range of this many bytes (a multiple of 2 MiB) with everything free; NULL when refused. */
hp_region *hp_region_create(size_t bytes, void *hint);

/* A region whose range was given back gets another one. Under the claim. */
bool hp_region_map(hp_region *region, size_t bytes, void *hint);

/* Gives the range back if it is wholly free; the bytes, 0 if it is not. Under the claim. */
size_t hp_region_unmap(hp_region *region);

/* One try. On success the pending frees are worked in. The summary is published by the release. */
bool hp_region_claim(hp_region *region);
void hp_region_release(hp_region *region);

/* See hp_arena_after_fork. */
HP_INLINE bool hp_region_is_abandoned(const hp_region *region)
{
    /* relaxed: set when there is one thread */
    return atomic_load_explicit(&region->abandoned, memory_order_relaxed);
}

/* Whether there are pages that the purger could give back, at some time. Under the claim. */
bool hp_region_has_work(const hp_region *region);

/*
 * The purger has nothing to come back for. Under the claim; false: a free was left as a note since, and the
 * region stays watched.
 */
bool hp_region_unwatch(hp_region *region);

/* Touched pages were used before and mostly have memory; untouched ones were not, or have lost it. */
typedef enum hp_pages_wanted { HP_TOUCHED_PAGES, HP_UNTOUCHED_PAGES, HP_ANY_PAGES } hp_pages_wanted;

/* Handle of a chunk or HP_BFC_NONE. Under the claim. */
uint32_t hp_region_allocate(hp_region *region, uint32_t page_count, uint32_t align_pages,
                            hp_pages_wanted wanted);

/* A recent run of exactly so many pages; its start is NULL when there is none. Claims the region itself. */
hp_placed_run hp_region_reuse(hp_region *region, uint32_t page_count);

/* The core gets all recent runs; they are as old as this call from now on. Under the claim. */
void hp_region_settle(hp_region *region);

/* Free now if the claim can be had, else left as a note. The age of a run counts from when the core gets it. */
void hp_region_free(hp_region *region, uint32_t chunk);

/* The same for the purger's runs: past the recent ones, which are dirty, into the core. */
void hp_region_put_back(hp_region *region, uint32_t chunk);

/* In place, one try; false changes nothing. */
bool hp_region_resize(hp_region *region, uint32_t chunk, uint32_t page_count);

static inline char *hp_region_address(const hp_region *region, uint32_t chunk)
{
    return region->base + (size_t)region->bfc.chunks[chunk].start_page * region->page_bytes;
}

/* Bytes of a used chunk. Only for who holds the chunk: nobody else changes its length. */
static inline size_t hp_region_chunk_bytes(const hp_region *region, uint32_t chunk)
{
    return (size_t)region->bfc.chunks[chunk].page_count * region->page_bytes;
}
