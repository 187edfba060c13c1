/*
 * outbox: frees of other owners' chunks, gathered per bitmap word so that one atomic OR frees up to 64.
 *
 * Owns:        four entries in the thread's record.
 * Invariants:
 *   Q1  outbox_bytes is the sum over the entries' bits, at most HP_OUTBOX_LIMIT_BYTES after a call.
 *   Q2  a bit is in the outbox at most once.
 * Threads:     the thread itself.
 * Ordering:    none of its own; posting is P3 and P4.
 * Progress:    wait-free but for the lock-free push of a post.
 * Calls:       inbox.   Used by: thread.
 */
#pragma once

#include "cache/thread.h"

/* Adds one slot's free. */
void hp_outbox_add(hp_thread *self, hp_slab *slab, unsigned index);

/* Posts everything. */
void hp_outbox_flush(hp_thread *self);
