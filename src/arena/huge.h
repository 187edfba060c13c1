/*
 * huge: requests with a mapping of their own.
 *
 * Owns:        one record per mapping.
 * Invariants:
 *   H1  a mapping in use has exactly one map entry, that of its first page; a kept one has none.
 *   H2  a kept mapping serves a request of which it has half or more; it is cut or grown to the length. A
 *       block that grows takes what is kept right behind it.
 *   H3  a mapping that the kernel refuses to unmap is stranded: its pages are given back, its address
 *       range serves the next request that the kernel refuses.
 * Threads:     any.
 * Ordering:    P10 (kept mappings), P16 (watched), P2 (spare records), P6 (map entry).
 * Progress:    wait-free in the number of slots, but for the kernel's calls.
 * Calls:       kept, move_pages, storage, address map, system.   Used by: large.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/crossing.h"

/* Of freed blocks at most so many bytes are kept. */
#define HP_HUGE_KEPT_BYTES ((size_t)64 << 20)

typedef struct hp_huge {
    _Alignas(64) hp_stack_node spare_link;
    char *mapping; /* the mapping's start; user memory may start later when alignment asks for it */
    char *start;
    bool dirty;                  /* a stranded mapping whose pages the kernel kept */
    _Atomic size_t mapped_bytes; /* shared: peeked at by threads that look for a kept mapping */
    _Atomic uint32_t freed_at_ms;
    _Atomic uintptr_t
        kept_start; /* shared: where the mapping starts, peeked at like its length while kept */
} hp_huge;

/* Usable start or NULL. *zeroed tells whether every byte is known to be zero. */
void *hp_huge_allocate(size_t bytes, size_t align_bytes, bool *zeroed);
/* Its map entry is retired already. */
void hp_huge_free(hp_huge *huge);

/* The same mapping with at least this many usable bytes, moved or not; NULL changes nothing. */
void *hp_huge_resize(hp_huge *huge, size_t bytes);

size_t hp_huge_usable_bytes(const hp_huge *huge);

/*
 * Unmaps the kept mappings that were freed at least age_ms before now_ms; returns the bytes. *remains: others
 * are kept. For whoever has the purger's role.
 */
size_t hp_huge_decay(uint32_t now_ms, uint32_t age_ms, bool *remains);

/* Unmaps all kept mappings; returns the bytes. */
size_t hp_huge_purge(void);

typedef struct hp_huge_totals {
    uint64_t mappings;
    uint64_t mapped_bytes;
    uint64_t kept_bytes;
} hp_huge_totals;

hp_huge_totals hp_huge_count(void);
