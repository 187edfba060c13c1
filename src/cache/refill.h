/*
 * refill: chunks between a thread's line and its owner, in sevens and eights.
 *
 * Owns:        nothing.
 * Invariants:  T1 and T2 of the line; D1 and D2 of the depot.
 * Threads:     the thread itself.
 * Ordering:    P17.
 * Progress:    lock-free; without a claim.
 * Calls:       depot, owner.   Used by: thread, front.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cache/thread.h"
#include "owner/depot.h"
#include "owner/inbox.h"

/*
 * A class that is used for the first time gets one chunk, then two, four, seven: a thread that needs one
 * block of a size keeps no seven of them from other threads.
 */
HP_INLINE unsigned hp_next_refill(hp_thread *self, unsigned size_class)
{
    unsigned count = self->refill_chunks[size_class];
    if (HP_UNLIKELY(count < HP_LINE_CHUNKS)) {
        unsigned next = count * 2 > HP_LINE_CHUNKS ? HP_LINE_CHUNKS : count * 2;
        self->refill_chunks[size_class] = (uint8_t)next;
    }
    return count;
}

/*
 * Word by word: a vector load of words that were stored one by one waits for the stores to retire. The count comes
 * last, here as below: a signal handler that ends the process returns what it says.
 */
HP_INLINE void *hp_fill_from_pack(hp_line *line, const hp_pack *pack)
{
    void *chunk = pack->chunks[0];
    line->chunks[0] = pack->chunks[6];
    line->chunks[1] = pack->chunks[1];
    line->chunks[2] = pack->chunks[2];
    line->chunks[3] = pack->chunks[3];
    line->chunks[4] = pack->chunks[4];
    line->chunks[5] = pack->chunks[5];
    HP_SIGNAL_BARRIER();
    line->filled = HP_LINE_FULL - 1;
    return chunk;
}

/* The lowest address is handed out first, then what lies on top, then from the end of the line down. */
HP_INLINE void hp_fill_with_neighbours(hp_line *line, char *chunk, size_t slot_bytes)
{
    line->chunks[0] = chunk += slot_bytes;
    line->chunks[6] = chunk += slot_bytes;
    line->chunks[5] = chunk += slot_bytes;
    line->chunks[4] = chunk += slot_bytes;
    line->chunks[3] = chunk += slot_bytes;
    line->chunks[2] = chunk += slot_bytes;
    line->chunks[1] = chunk + slot_bytes;
    HP_SIGNAL_BARRIER();
    line->filled = HP_LINE_FULL;
}

/* An empty pack, and room for it, out of a hand that is ready. */
HP_INLINE hp_pack *hp_thread_hand_out(hp_thread *self, unsigned size_class)
{
    self->hand.room_bytes -= hp_pack_bytes(size_class);
    return hp_depot_hand_out(&self->hand);
}

/* A pack of the class that came out of the depot is empty now. Returns the chunk. */
HP_INLINE void *hp_thread_keep_pack(hp_thread *self, unsigned size_class, const hp_pack *pack,
                                    void *chunk)
{
    hp_depot_keep(&self->hand, pack);
    self->hand.room_bytes += hp_pack_bytes(size_class);
    return HP_LIKELY(!hp_depot_hand_is_full(&self->hand)) ? chunk : hp_thread_ease(self, chunk);
}

/* A chunk of a pack that came out of the depot, and six more into the empty line. */
HP_INLINE void *hp_refill_from_pack(hp_thread *self, hp_line *line, unsigned size_class,
                                    hp_pack *pack)
{
    return hp_thread_keep_pack(self, size_class, pack, hp_fill_from_pack(line, pack));
}

/*
 * A reserve is neighbours that a thread set aside when it took eight: the address of the first and, below
 * it, how many groups of eight there are. Refills from it need no claim.
 */
#define HP_RESERVE_GROUPS_MASK ((uint64_t)15)

/* A chunk, and its seven neighbours into the empty line; one group less stays in the reserve. */
HP_INLINE void *hp_refill_from_reserve(hp_thread *self, hp_line *line, unsigned size_class,
                                       uint64_t reserve)
{
    size_t slot_bytes = (size_t)(size_class + 1) * HP_SMALL_STEP_BYTES;
    self->reserves[size_class] = reserve + HP_SLAB_GROUP_SLOTS * slot_bytes - 1;
    char *chunk = (char *)(uintptr_t)(reserve & ~HP_RESERVE_GROUPS_MASK);
    hp_fill_with_neighbours(line, chunk, slot_bytes);
    return chunk;
}

/*
 * The full line becomes a pack of the depot and holds the one chunk then. The hand is ready for it. At no moment
 * is a chunk in both: a signal handler may call exit or fork here.
 */
HP_INLINE void hp_spill_to_depot(hp_thread *self, hp_line *line, unsigned size_class, void *chunk)
{
    hp_pack *pack = hp_thread_hand_out(self, size_class);
    pack->chunks[0] = line->chunks[0];
    pack->chunks[1] = line->chunks[1];
    pack->chunks[2] = line->chunks[2];
    pack->chunks[3] = line->chunks[3];
    pack->chunks[4] = line->chunks[4];
    pack->chunks[5] = line->chunks[5];
    pack->chunks[6] = line->chunks[6];
    line->chunks[0] = chunk;
    line->filled = HP_LINE_EMPTY + 1;
    HP_SIGNAL_BARRIER();
    hp_depot_push(self->owner, size_class, pack);
}
