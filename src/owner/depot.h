/*
 * depot: full lines between a thread's cache and the slabs, so that seven chunks move as one.
 *
 * Owns:        the packs, which lie in the owner.
 * Invariants:
 *   D1  a class has no more packs than hp_depot_has_room let in.
 *   D2  a chunk in a pack is out of its slab: its bit is not set.
 * Threads:     under the owner's claim.
 * Ordering:    P1.
 * Progress:    wait-free.
 * Calls:       owner, storage.   Used by: thread, owner.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "owner/owner.h"

/* Packs per class: 32 KiB of chunks, at least 2 packs and at most 64. */
#define HP_DEPOT_CLASS_BYTES 32768u
#define HP_DEPOT_MIN_PACKS 2u
#define HP_DEPOT_MAX_PACKS 64u

#define HP_DEPOT_UNITS (HP_DEPOT_CLASS_BYTES / (HP_LINE_CHUNKS * HP_SMALL_STEP_BYTES))

/* Whether a class that holds this many packs may take one more; a product instead of a quotient. */
HP_INLINE bool hp_depot_has_room(uint32_t packs, unsigned size_class)
{
    return packs < HP_DEPOT_MIN_PACKS ||
           (packs < HP_DEPOT_MAX_PACKS && (packs + 1) * (size_class + 1) <= HP_DEPOT_UNITS);
}

HP_INLINE void hp_depot_push(hp_owner *owner, unsigned size_class, hp_pack *pack)
{
    pack->next = owner->depot[size_class];
    owner->depot[size_class] = pack;
    owner->depot_count[size_class]++;
}

/* NULL when the class has none. The pack goes back by hp_depot_recycle. */
HP_INLINE hp_pack *hp_depot_pop(hp_owner *owner, unsigned size_class)
{
    hp_pack *pack = owner->depot[size_class];
    if (pack != NULL) {
        owner->depot[size_class] = pack->next;
        owner->depot_count[size_class]--;
    }
    return pack;
}

HP_INLINE void hp_depot_recycle(hp_owner *owner, hp_pack *pack)
{
    pack->next = owner->spare_packs;
    owner->spare_packs = pack;
}

/* An empty pack; NULL when the class is at its limit, or there is no spare pack. */
HP_INLINE hp_pack *hp_depot_new_pack(hp_owner *owner, unsigned size_class)
{
    hp_pack *pack = owner->spare_packs;
    if (HP_UNLIKELY(pack == NULL ||
                    !hp_depot_has_room(owner->depot_count[size_class], size_class))) {
        return NULL;
    }
    owner->spare_packs = pack->next;
    return pack;
}

/* Makes a few spare packs when there is none and memory for them. */
void hp_depot_make_packs(hp_owner *owner);

/* The slab and the slot that a chunk from a line or a pack is; NULL after a report when it is none. */
hp_slab *hp_depot_slab_of(void *chunk, uint32_t *index);

/* Frees a chunk that came from a line or a pack: into its slab if that is this owner's, else by a note. */
void hp_depot_free_chunk(hp_owner *owner, void *chunk);

/* The same for each of the chunks, runs of one slab at once. */
void hp_depot_free_chunks(hp_owner *owner, void *const *chunks, unsigned count);

/* Returns all chunks of all packs to their slabs. */
void hp_depot_empty(hp_owner *owner);
