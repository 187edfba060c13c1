/*
 * purge: free dirty pages of the regions go back to the system, as many as are due.
 *
 * A run is taken out of its core under the region's claim, given back to the system without the claim, and
 * freed again, clean: now if the region can be claimed, else as a note. So no thread finds a region claimed
 * while the kernel works, and no page is in reach before its memory is gone.
 *
 *   claim; take runs out; release      their pages are used chunks of nobody
 *   discard them                       neighbours as one range; refused: the run stays dirty
 *   hp_region_put_back each
 *
 * Owns:        the batch of runs that are out at the moment.
 * Invariants:
 *   PU1 a run of the batch is a used chunk that no map entry names; it is freed exactly once.
 *   PU2 no run is out longer than its batch: at most HP_PURGE_RUNS of them and HP_PURGE_BATCH_BYTES.
 * Threads:     one at a time: whoever has the purger's role; hp_region_purge any. Claims like everybody.
 * Ordering:    P1 (claim), P2 (pending list), P16 (watched).
 * Progress:    never waits for a claim; at most HP_PURGE_BATCHES batches of a region in a look.
 * Calls:       arena, region, system.   Used by: purger.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena/region.h"

#define HP_PURGE_RUNS 32u
#define HP_PURGE_BATCH_BYTES ((size_t)16 << 20)
#define HP_PURGE_BATCHES 8u
/* Records of a core that one claim looks at. */
#define HP_PURGE_LOOKS 1024u
/* Fewer pages than this are not worth a call while more of them are dirty. */
#define HP_PURGE_LEAST_PAGES 16u

/* Free dirty pages of all regions, as their holders last said; in pages of the system. */
uint64_t hp_purge_dirty_pages(void);

/* Before a look: the cores of the regions that are watched get what was freed last. */
void hp_purge_settle(void);

/*
 * Gives back up to due_pages pages that were freed at least least_age_ms before now_ms. *remains: a region
 * has to be looked at again. Returns the pages given back.
 */
uint64_t hp_purge_regions(uint64_t due_pages, uint32_t now_ms, uint32_t least_age_ms,
                          bool *remains);

/* Gives the memory of all free dirty pages back to the system; returns the bytes. Under the region's claim. */
size_t hp_region_purge(hp_region *region);

/* In a forked child: the runs that the parent's purger had out go back. */
void hp_purge_after_fork(void);
