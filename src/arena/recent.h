/*
 * recent: the few runs of a region that were freed last, in front of its core.
 *
 * A program that frees a run mostly asks for one of the same size soon. So a freed run waits here, for the
 * core still a used one, and a request for exactly as many pages gets it back: no tree is changed. The core
 * hears of it when its place is needed, or before the region touches fresh pages, fails or gives pages back.
 *
 * Owns:        a handle and a page count per waiting run.
 * Invariants:  (hp_recent_check)
 *   E1  each run that waits is a used chunk of the core, of as many pages as noted here, and waits once.
 *   E2  page_sum is the sum of their pages; sizes has the bit of each of them and no other.
 * Threads:     sequential, under the claim of the region.
 * Ordering:    none.
 * Progress:    a bounded number of steps.
 * Calls:       bfc, for the check.   Used by: region.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena/bfc.h"
#include "platform/compiler.h"

#define HP_RECENT_RUNS 8u
#define HP_RECENT_ALL ((1u << HP_RECENT_RUNS) - 1)

typedef struct hp_recent {
    uint32_t waiting;  /* bit i: there is a run at i */
    uint32_t next_out; /* whose place is taken next when there is no empty one */
    uint64_t page_sum;
    uint64_t sizes; /* hp_recent_size_bit of each that waits: what is not set is not here */
    uint32_t pages[HP_RECENT_RUNS];
    uint32_t chunk[HP_RECENT_RUNS];
} hp_recent;

HP_INLINE uint64_t hp_recent_size_bit(uint32_t pages)
{
    return UINT64_C(1) << pages % 64;
}

/* Nothing waits at this place any more. */
HP_INLINE void hp_recent_leave(hp_recent *recent, uint32_t place)
{
    recent->waiting &= ~(1u << place);
    recent->page_sum -= recent->pages[place];
    recent->sizes = 0;
    for (uint32_t left = recent->waiting; left != 0; left &= left - 1) {
        recent->sizes |= hp_recent_size_bit(recent->pages[hp_lowest_bit(left)]);
    }
}

/* The run waits; the one whose place it took, or HP_BFC_NONE, is the caller's to give to the core. */
HP_INLINE uint32_t hp_recent_put(hp_recent *recent, uint32_t chunk, uint32_t pages)
{
    uint32_t pushed_out = HP_BFC_NONE;
    if (HP_UNLIKELY(recent->waiting == HP_RECENT_ALL)) {
        uint32_t place = recent->next_out++ % HP_RECENT_RUNS;
        pushed_out = recent->chunk[place];
        hp_recent_leave(recent, place);
    }
    uint32_t place = hp_lowest_bit(~recent->waiting);
    recent->waiting |= 1u << place;
    recent->pages[place] = pages;
    recent->chunk[place] = chunk;
    recent->page_sum += pages;
    recent->sizes |= hp_recent_size_bit(pages);
    return pushed_out;
}

/* A run of exactly so many pages that starts at a multiple of align_pages, or HP_BFC_NONE. */
HP_INLINE uint32_t hp_recent_take(hp_recent *recent, const hp_bfc *bfc, uint32_t pages,
                                  uint32_t align_pages)
{
    for (uint32_t left = recent->waiting; left != 0; left &= left - 1) {
        uint32_t place = hp_lowest_bit(left);
        if (recent->pages[place] != pages) {
            continue;
        }
        uint32_t chunk = recent->chunk[place];
        if ((bfc->chunks[chunk].start_page & (align_pages - 1)) == 0) {
            hp_recent_leave(recent, place);
            return chunk;
        }
    }
    return HP_BFC_NONE;
}

/* Any run that waits, or HP_BFC_NONE. */
uint32_t hp_recent_take_any(hp_recent *recent);

/* NULL when the invariants hold, else a constant sentence that names the broken one. */
const char *hp_recent_check(const hp_recent *recent, const hp_bfc *bfc);
