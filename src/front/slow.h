/*
 * slow: every exit that the hot path does not take.
 *
 * Owns:        nothing.
 * Invariants:
 *   W1  a request above PTRDIFF_MAX fails before any arithmetic on it.
 *   W2  errno is ENOMEM after a failed request and untouched by every other path.
 * Threads:     any.
 * Ordering:    none of its own.
 * Progress:    lock-free. Before ENOMEM all that can be returned is returned, then there is one retry.
 * Calls:       thread, inbox, large, misuse.   Used by: malloc, realloc, aligned, operators, introspect.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cache/thread.h"
#include "platform/compiler.h"

/* malloc of the class of an empty line. */
HP_SLOW void *hp_slow_refill(hp_line *line);

/* malloc of any size. */
HP_SLOW void *hp_slow_malloc(size_t bytes);

/* malloc of any size; *zeroed: every byte is known to be zero. */
HP_SLOW void *hp_slow_malloc_zeroed(size_t bytes, bool *zeroed);

/* align_bytes is a power of two. */
HP_SLOW void *hp_slow_aligned(size_t bytes, size_t align_bytes);

/* free of a chunk whose line is full. */
HP_SLOW void hp_slow_spill(void *pointer, hp_line *line);

/* free of a slot of another owner's slab that found no room in its line, nor its word a place in the outbox. */
HP_SLOW void hp_slow_free_other(void *pointer, hp_slab *slab);

/* free of what the hot path did not find. */
HP_SLOW void hp_slow_free(void *pointer);
