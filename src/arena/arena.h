/*
 * arena: all regions. Hands out runs of pages, from 4 KiB to the largest region.
 *
 * Owns:        the list of regions, the sizes in which they grow.
 * Invariants:
 *   N1  a region, once listed, stays listed.
 *   N2  a new region is a quarter of all before it together, from 4 MiB to 1 GiB, so that a holder that does
 *       not run keeps little out of reach; one that is made only because others are claimed at this moment
 *       is a 64th.
 *   N3  pages that were never handed out are used when no region that can be claimed has others.
 * Threads:     any.
 * Ordering:    P9: a listed region is complete.
 * Progress:    lock-free: each region is tried twice, then a new one is made. When the system refuses a
 *              size, 0.9 of it is tried, down to what the request itself needs.
 * Calls:       region, address map.   Used by: slab, large.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena/region.h"

typedef struct hp_run {
    char *start;
    size_t bytes;
    hp_region *region;
    uint32_t chunk;
    bool zeroed; /* every byte is known to be zero */
} hp_run;

/* bytes and align_bytes in whole pages, align_bytes a power of two up to 2 MiB. False: out of memory. */
bool hp_arena_take(size_t bytes, size_t align_bytes, hp_run *run);

/* The same, but only of pages that were used before; a look, as nothing grows for it. */
bool hp_arena_take_touched(size_t bytes, size_t align_bytes, hp_run *run);

/* The same, but first of pages that were never handed out: for a run of which little may be used. */
bool hp_arena_take_untouched(size_t bytes, size_t align_bytes, hp_run *run);

/*
 * A run of exactly so many pages that was freed lately; its start is NULL when there is none. One region is
 * tried, of the first ones: where nothing of that size waits, the general way is not far.
 */
#define HP_ARENA_REUSE_LOOKS 32u
hp_placed_run hp_arena_reuse(uint32_t pages);

#define HP_REGION_LIMIT 65536u

/* Shared: P9. NULL until the thread that got the number fills it. */
extern hp_region *_Atomic hp_arena_regions[HP_REGION_LIMIT];

/* The region with this number, NULL when there is none (yet). Numbers count from 0 without gaps. */
HP_INLINE hp_region *hp_arena_region(uint32_t number)
{
    /* acquire: P9, pairs with list_region */
    return number < HP_REGION_LIMIT
               ? atomic_load_explicit(&hp_arena_regions[number], memory_order_acquire)
               : NULL;
}

/*
 * For walks over all regions: the first one whose number is at least *number, which becomes its number; NULL: there is
 * none. A thread that has taken a number may lose the processor before its region has it: that one is passed by.
 */
hp_region *hp_arena_region_from(uint32_t *number);

/* Unmaps every region that is wholly free and can be claimed; returns the bytes. */
size_t hp_arena_unmap_idle(void);

/* The same, but one region that is wholly free stays, and only those go that have no dirty pages. */
size_t hp_arena_unmap_spare(void);

/* Gives free dirty pages of all regions that can be claimed back to the system; returns the bytes. */
size_t hp_arena_purge(void);

/*
 * In a forked child: a region that is claimed is so by a thread that is not there, as far as is known, and nobody comes
 * back to it. Should it be the caller, who forked in a signal handler in the middle of a call, its release takes it up
 * again.
 */
void hp_arena_after_fork(void);

/* Requests above this get a mapping of their own. */
#define HP_RUN_MAX_BYTES ((size_t)4 << 20)
