/*
 * storage: memory for our own records, which are never unmapped.
 *
 * Owns:        blocks of pages from the system, handed out from the front.
 * Invariants:
 *   M1  what is handed out is zeroed, aligned to a cache line, and stays mapped for ever. That is what
 *       lets a malloc or free follow a stale record and find out by its state to go elsewhere.
 * Threads:     any.
 * Ordering:    P7: a new block's extent is visible to whoever takes from it.
 * Progress:    lock-free: one fetch_add inside a block; whoever finds the block used up maps another
 *              and installs it with one compare-and-swap.
 * Calls:       system.
 * Used by:     address map, region, huge, slab, owner, thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Zeroed bytes aligned to 64, or NULL when the system refuses. */
void *hp_storage_take(size_t bytes);

/* Bytes mapped for records so far. */
uint64_t hp_storage_mapped_bytes(void);
