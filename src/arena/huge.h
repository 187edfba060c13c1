/*
 * huge: requests with a mapping of their own.
 *
 * Owns:        nothing; a block in use has the record of its mapping.
 * Invariants:
 *   H1  a mapping in use has exactly one map entry, that of its first page; a kept one has none.
 *   H2  a kept mapping is cut to the length that is asked for, or grown if half of that has memory. A block
 *       that grows takes what is kept right behind it. Kept mappings side by side become one.
 * Threads:     any.
 * Ordering:    P10 (kept mappings), P16 (watched), P6 (map entry).
 * Progress:    wait-free in the number of slots, but for the kernel's calls.
 * Calls:       mapping, kept, move_pages, address map, system.   Used by: large.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/crossing.h"

/* Of freed blocks at most so many bytes are kept that may have memory. */
#define HP_HUGE_KEPT_BYTES ((size_t)64 << 20)

typedef struct hp_huge {
    _Alignas(64) hp_stack_node spare_link;
    char *mapping; /* the mapping's start; user memory may start later when alignment asks for it */
    char *start;
    size_t dirty_bytes;          /* of a kept or stranded mapping at most so many have memory */
    _Atomic size_t mapped_bytes; /* shared: peeked at by threads that look for a kept mapping */
    _Atomic uint32_t freed_at_ms;
    uint32_t origin;     /* mapping, MP2 */
    _Atomic bool filled; /* shared: most of a kept mapping has; peeked at as mapped_bytes is */
    _Atomic uintptr_t
        kept_start; /* shared: where the mapping starts, peeked at like its length while kept */
} hp_huge;

/* Usable start or NULL. *zeroed tells whether every byte is known to be zero. */
void *hp_huge_allocate(size_t bytes, size_t align_bytes, bool *zeroed);
/*
 * Of a block that was just handed out and is not known to be zero: makes it so by giving up its memory, where that is
 * little. False: the caller has to clear it.
 */
bool hp_huge_clear(hp_huge *huge);

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
