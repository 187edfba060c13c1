/*
 * statistics: how much memory there is and who has it, as an observer can see it.
 *
 * Owns:        nothing but the wish to see a report at exit.
 * Invariants:  (tests/spec_statistics.c)
 *   K1  nobody is stopped: an owner is tried once and counted as busy when it is claimed; regions and
 *       huge mappings are read from the words that they publish.
 *   K2  mapped = regions + huge + metadata; in_use = region_used + huge - huge_kept.
 *   K3  in_use is what the program has and what cannot be told from it without a race: chunks in
 *       threads' lines, reserves and outboxes, and everything in the slabs of busy owners.
 * Threads:     any. The figures belong to slightly different moments when other threads work.
 * Ordering:    P1 (claims of owners); the published words are relaxed.
 * Progress:    never waits for a claim; linear in owners, regions, threads and slabs with a free slot.
 *              The read-side section may wait once per thread: not for malloc and free.
 * Calls:       region, huge, owner, depot, thread, storage.   Used by: front, options.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "metadata/size_class.h"

/* One size class, of slots or of runs, over the owners that could be claimed. */
typedef struct hp_class_statistics {
    uint64_t slabs;        /* 0 of a class of runs */
    uint64_t slots;        /* of these slabs */
    uint64_t free_slots;   /* of these, in their slab */
    uint64_t depot_chunks; /* in packs of a depot: of these slots, or runs */
} hp_class_statistics;

typedef struct hp_statistics {
    uint64_t mapped_bytes;
    uint64_t in_use_bytes;
    uint64_t metadata_bytes; /* address space of records and tables, used or not; no static data */
    uint64_t region_bytes;
    uint64_t region_free_bytes; /* whole pages that are free */
    uint64_t region_used_bytes; /* the part of in_use_bytes that lies in regions */
    uint64_t slab_bytes;
    uint64_t slab_free_bytes; /* free slots, and what is left at the end of a slab */
    uint64_t depot_bytes;
    uint64_t inbox_bytes; /* freed by other threads, not yet worked in */
    uint64_t huge_bytes;  /* mappings with a user, and those kept for reuse */
    uint64_t huge_kept_bytes;
    uint64_t huge_mappings; /* as huge_bytes */
    uint64_t regions;
    uint64_t owners;
    uint64_t owners_busy;   /* claimed at this moment: not in the slab and depot figures */
    uint64_t threads;       /* that have a cache now */
    uint64_t thread_caches; /* that were ever made; those of gone threads are used again */
    hp_class_statistics classes[HP_DEPOT_CLASSES];
} hp_statistics;

void hp_statistics_read(hp_statistics *statistics);

/* Whether the process is to report when it exits. */
void hp_statistics_set_at_exit(bool wanted);
bool hp_statistics_at_exit(void);
