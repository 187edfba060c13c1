/*
 * outbox: frees of other owners' chunks, gathered per bitmap word so that one atomic OR frees up to 64.
 *
 * Owns:        a table in the thread's record, a place per key by a hash; who comes later gets the place.
 * Invariants:  (hp_outbox_check)
 *   Q1  outbox_room is HP_OUTBOX_BYTES less the bytes in the table, and not below 0 after a call.
 *   Q2  a place without bits has key 0.
 * Threads:     the thread itself.
 * Ordering:    none of its own; posting is P3 and P4.
 * Progress:    wait-free but for the lock-free push of a post.
 * Calls:       inbox.   Used by: thread, front.
 */
#pragma once

#include <stdbool.h>

#include "cache/thread.h"

/* A record is aligned to 64 bytes and has at most 64 words: the word's number fits below. */
HP_INLINE uint64_t hp_outbox_key(const hp_slab *slab, unsigned index)
{
    return (uint64_t)(uintptr_t)slab + index / 64;
}

/* Neighbouring words of a slab, and the same word of neighbouring slabs, have places of their own. */
HP_INLINE size_t hp_outbox_place(uint64_t grain, unsigned index)
{
    return (size_t)(grain + index / 64) & (HP_OUTBOX_PLACES - 1);
}

/*
 * Sets the slot's bit; grain is that of the chunk. False, and nothing is done, when the place has another
 * key or the bit is set already: hp_outbox_add then does the rest. *room: what is left; below 0
 * hp_outbox_make_room has to follow.
 */
HP_INLINE bool hp_outbox_set(hp_thread *self, hp_slab *slab, uint64_t grain, unsigned index,
                             int64_t *room)
{
    size_t place = hp_outbox_place(grain, index);
    if (HP_UNLIKELY(self->outbox_keys[place] != hp_outbox_key(slab, index))) {
        return false;
    }
    /* Opaque from use to use: else gcc computes an address that the addressing mode gives for nothing. */
    HP_OPAQUE(place);
    uint64_t bits = self->outbox_bits[place];
    HP_OPAQUE(place);
    if (HP_UNLIKELY(hp_set_bit(&bits, index))) {
        return false;
    }
    self->outbox_bits[place] = bits;
    *room = self->outbox_room - slab->slot_bytes;
    self->outbox_room = *room;
    return true;
}

/* Adds one slot's free. */
void hp_outbox_add(hp_thread *self, hp_slab *slab, unsigned index);

/* Posts everything. */
void hp_outbox_flush(hp_thread *self);

/* The outbox is full: posts some of it, place by place in turn, so that no call takes long. */
HP_SLOW void hp_outbox_make_room(hp_thread *self);

const char *hp_outbox_check(const hp_thread *self);
