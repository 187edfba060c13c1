/*
 * large: requests above the largest slot: a run of pages of the arena, or a mapping of their own.
 *
 * Owns:        nothing; runs belong to their region, mappings to huge.
 * Invariants:
 *   G1  the full map has exactly one entry for a large block, that of its first page; after the free it
 *       says that the block was freed.
 * Threads:     any.
 * Ordering:    P6 (map entry).
 * Progress:    as arena and huge.
 * Calls:       arena, huge, address map.   Used by: front.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "metadata/address_map.h"

/* bytes >= 1; align_bytes a power of two. NULL: out of memory. *zeroed: every byte is known to be zero. */
void *hp_large_allocate(size_t bytes, size_t align_bytes, bool *zeroed);

/*
 * Of a block above HP_RUN_MAX_BYTES that was just handed out and is not known to be zero: makes it so if that costs less
 * than to write zeros. False: the caller has to.
 */
bool hp_large_clear(void *start);

/* bytes above HP_SLAB_MAX_SLOT_BYTES, to HP_RUN_MAX_BYTES: a run of that size, or of its class, that was freed lately,
 * or NULL. */
void *hp_large_reuse(size_t bytes);

/* The same of a run, of pages that were used before; NULL: there are none, or the block would be no run. */
void *hp_large_allocate_touched(size_t bytes, size_t align_bytes);

/* False when the pointer is not the start of the block that the entry describes: nothing is done. */
bool hp_large_free(hp_entry entry, void *pointer);

/* The first half of the free of a run: nothing else says that the pointer is a block's. False as above. */
bool hp_large_retire(hp_entry entry, void *pointer);

/* The second half: its pages go back to the region. */
void hp_large_free_run(hp_entry entry);

/* 0 when the pointer is not the start of the block. */
size_t hp_large_usable_bytes(hp_entry entry, const void *pointer);

/* The block with the new size without copying, or NULL: nothing was changed. */
void *hp_large_resize(hp_entry entry, void *pointer, size_t bytes);
