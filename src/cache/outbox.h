/*
 * outbox: frees of other owners' chunks, gathered per bitmap word so that one atomic OR frees up to 64.
 *
 * Owns:        four entries in the thread's record.
 * Invariants:
 *   Q1  outbox_older_bytes is the sum over all entries but the first, at most HP_OUTBOX_LIMIT_BYTES;
 *       the first is at most 64 slots of one slab.
 *   Q2  a bit is in the outbox at most once.
 * Threads:     the thread itself.
 * Ordering:    none of its own; posting is P3 and P4.
 * Progress:    wait-free but for the lock-free push of a post.
 * Calls:       inbox.   Used by: thread.
 */
#pragma once

#include "cache/thread.h"

/* A record is aligned to 64 bytes and has at most 64 words: the word's number fits below. */
HP_INLINE uint64_t hp_outbox_key(const hp_slab *slab, unsigned index)
{
    return (uint64_t)(uintptr_t)slab + index / 64;
}

/* Adds one slot's free. Entry 0 is the most recent one; hot_path has that case inline. */
void hp_outbox_add(hp_thread *self, hp_slab *slab, unsigned index);

/* Posts everything. */
void hp_outbox_flush(hp_thread *self);
