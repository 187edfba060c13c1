/*
 * mapping: the records of huge mappings, from the kernel's yes to its taking back.
 *
 * Owns:        spare records; stranded mappings; the totals.
 * Invariants:
 *   MP1 a mapping that the kernel refuses to unmap is stranded: its pages are given back, its address range
 *       serves the next request that the kernel refuses.
 *   MP2 records of the same origin are pieces of what was mapped or moved at once, so that side by side they
 *       are one mapping to the kernel, which can move it. Only a block that grew over a border may be several:
 *       then the kernel refuses to move it, and it is copied.
 * Threads:     any; a record's fields by its holder.
 * Ordering:    P2 (spare and stranded records).
 * Progress:    as the kernel's calls.
 * Calls:       storage, system.   Used by: huge.
 */
#pragma once

#include "arena/huge.h"

static inline size_t hp_mapped_bytes_of(const hp_huge *huge)
{
    /* relaxed: the holder reads what it wrote; others only peek and look again once they hold it */
    return atomic_load_explicit(&huge->mapped_bytes, memory_order_relaxed);
}

/* A record without a mapping, or NULL. */
hp_huge *hp_mapping_new_record(void);

/* At least so many bytes with a start that any alignment up to the page's has, counted; or NULL. */
hp_huge *hp_mapping_create(size_t bytes);

/* The mapping goes back to the kernel and the record to the spare ones. */
void hp_mapping_destroy(hp_huge *huge);

/* Tries again what the kernel has refused to unmap. */
void hp_mapping_destroy_stranded(void);

/* The kernel gave or took some of it. */
void hp_mapping_set_length(hp_huge *huge, size_t bytes);

/* It lies elsewhere, or is made of several: of an origin of its own. */
void hp_mapping_renew_origin(hp_huge *huge);

/* The last bytes become the record's mapping; the record is new. */
void hp_mapping_split(hp_huge *huge, hp_huge *rest, size_t bytes);

/* Gets what lies right beside it; that record becomes a spare one. */
void hp_mapping_join(hp_huge *huge, hp_huge *beside);

/* Mappings and their bytes; what is kept is not known here. */
hp_huge_totals hp_mapping_count(void);
