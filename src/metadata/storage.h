/*
 * storage: memory for our own records, which are never unmapped.
 *
 * Owns:        blocks of pages from the system, handed out from the front.
 * Invariants:
 *   M1  what is handed out is zeroed, aligned to a cache line, and stays mapped for ever. That is what
 *       lets a malloc or free follow a stale record and find out by its state to go elsewhere.
 * Threads:     any.
 * Ordering:    P7: a new block's extent is visible to whoever takes from it. P2 (blocks set aside).
 * Progress:    lock-free: one fetch_add inside a block; whoever finds the block used up maps another
 *              and installs it with one compare-and-swap.
 * Calls:       system.
 * Used by:     address map, region, huge, slab, owner, thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed bytes aligned to 64, or NULL when the system refuses. */
void *hp_storage_take(size_t bytes);

/*
 * Whole pages of our own, zeroed; NULL when the system refuses. An untouched page lies on either side, so
 * that what runs over the end of somebody's block next to them meets nothing of ours.
 */
void *hp_storage_map(size_t bytes);
void hp_storage_unmap(void *address, size_t bytes);

/* Keeps room for so many bytes of records for the time when the system refuses. False: it does now. */
bool hp_storage_set_aside(size_t bytes);

/* Bytes mapped for records and tables at present. */
uint64_t hp_storage_mapped_bytes(void);
