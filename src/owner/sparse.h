/*
 * sparse: which slab is worth to become a mixed one.
 *
 * Owns:        where the searches ended: class_to_mix of the owner, to_mix of a class.
 * Invariants:  none; a place that is no longer in its list is not used.
 * Threads:     under the owner's claim.
 * Ordering:    P1.
 * Progress:    wait-free.
 * Calls:       holes, lists, depot.   Used by: mixed.
 */
#pragma once

#include <stdint.h>

#include "owner/holes.h"
#include "owner/owner.h"

/* A block takes so much more than its class at most. */
#define HP_BLOCK_WASTE_PART 8u

/* How many slots a block of the bytes takes; 0: too much of them would be lost. */
HP_INLINE unsigned hp_block_slots(uint32_t slot_bytes, uint32_t bytes)
{
    uint32_t slots = (bytes + slot_bytes - 1) / slot_bytes;
    return slots * slot_bytes <= bytes + bytes / HP_BLOCK_WASTE_PART ? slots : 0;
}

/* The lowest slot, in this word or later, from which so many are free; HP_NO_HOLE: there is none. Under the claim. */
HP_INLINE uint32_t hp_slab_hole(const hp_slab *slab, unsigned first_word, unsigned slots)
{
    return hp_holes_find(slab->free->words, slab->word_count, first_word, slots);
}

/*
 * A slab of a class that is no larger than the wanted one, of which much is free and which has a hole for a block; *slots: as
 * long as that. Goes on where the last search ended. NULL: within the looks that it takes there is none.
 */
hp_slab *hp_sparse_find(hp_owner *owner, unsigned wanted, unsigned *slots);

/* Any slab of a smaller class that has such a hole, whatever it serves and however long it takes. NULL: there is none. */
hp_slab *hp_sparse_find_any(hp_owner *owner, unsigned wanted, unsigned *slots);
