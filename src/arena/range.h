/*
 * range: the address range of a region, and the tables that lie apart from it.
 *
 * Owns:        nothing; the range is the region's.
 * Invariants:
 *   RG1 a mapped range is aligned to HP_REGION_ALIGN_BYTES and every page of it can have a map entry.
 * Threads:     any.
 * Ordering:    none of its own; P5 (leaf of the map).
 * Progress:    as the kernel's calls.
 * Calls:       bfc, storage, address map, system.   Used by: region.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HP_REGION_ALIGN_BYTES ((size_t)2 << 20)

typedef struct hp_range {
    char *base;
    char *tables; /* the core's table, then a pending link per chunk handle */
    uint32_t page_count;
} hp_range;

/* Maps all that a region of this size needs; false leaves nothing mapped but a leaf of the map. */
bool hp_range_map(size_t bytes, void *hint, hp_range *range);

/* False when the system refuses to take the range back; then nothing was unmapped. */
bool hp_range_unmap(const hp_range *range);

/* Where the pending links begin in the tables. */
size_t hp_range_table_bytes(uint32_t page_count);
