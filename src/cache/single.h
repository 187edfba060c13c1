/*
 * single: malloc and free of chunks above those of lines: each goes by itself through the owner's depot, without a
 * claim. No thread keeps any for itself.
 *
 * Owns:        nothing.
 * Invariants:  SI1 and SI2 of singles.
 * Threads:     the thread itself.
 * Ordering:    P17, by the depot.
 * Progress:    lock-free; without a claim unless the depot is full.
 * Calls:       depot, singles, large.   Used by: thread, front.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cache/thread.h"
#include "metadata/address_map.h"
#include "owner/depot.h"
#include "owner/singles.h"

/*
 * So many larger classes may serve a request: what waits there need not be cut anew, and each class alone would need
 * as many chunks at hand as its use ever varies by. A fourth of a block is idle at most.
 */
#define HP_SINGLE_LARGER_CLASSES 2u

/* Depots of so many other owners are looked at. */
#define HP_SINGLE_OTHER_OWNERS 8u

/* What the hands have too much goes back; returns the chunk. */
HP_SLOW void *hp_thread_ease_single(hp_thread *self, void *chunk);

/* A chunk of the class, or NULL: the depot has none. */
HP_INLINE void *hp_thread_take_single(hp_thread *self, unsigned size_class)
{
    hp_pack *pack = hp_depot_pop(self->owner, size_class);
    if (HP_UNLIKELY(pack == NULL)) {
        return NULL;
    }
    const hp_single *single = hp_single_of(pack);
    void *chunk = single->chunk;
    HP_ASSUME(chunk != NULL);
    hp_single_note_out(single);
    hp_depot_keep(&self->hand, pack);
    self->singles.bytes += single->bytes;
    bool is_full =
        self->singles.bytes > self->singles.most_bytes || hp_depot_hand_is_full(&self->hand);
    return HP_LIKELY(!is_full) ? chunk : hp_thread_ease_single(self, chunk);
}

/* The same of a class that is a little larger, or out of the depot of another owner, whose threads may only free. */
HP_SLOW void *hp_thread_take_other_single(hp_thread *self, unsigned size_class);

/*
 * free of a slot, or of a block of slots, that is as long as the class, above 8 KiB: it waits in the depot, or goes to
 * its slab if that is full. self may be NULL.
 */
void hp_thread_free_single(hp_thread *self, unsigned size_class, hp_slab *slab, unsigned index);

/* free of a run of the class. False when the pointer is not the start of the run: nothing is done. */
bool hp_thread_free_run(hp_thread *self, unsigned size_class, hp_entry entry, void *pointer);

/*
 * Pages for a request above HP_SLAB_MAX_SLOT_BYTES; self may be NULL; *zeroed as hp_large_allocate. Runs that wait in the
 * depot for one of their class are free memory: before pages are touched that have none, or more are mapped, they may
 * become the neighbours that serve. NULL: out of memory.
 */
void *hp_thread_allocate_large(hp_thread *self, size_t bytes, size_t align_bytes, bool *zeroed);
