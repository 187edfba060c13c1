/*
 * depot: full lines between a thread's cache and the slabs, so that seven chunks move as one.
 *
 * Owns:        the packs, which lie in the owner.
 * Invariants:
 *   D1  depot_bytes is what the chunks in all packs take; a pack comes in only up to depot_bound_bytes.
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

/*
 * All packs of all owners together, in equal shares. What lies here moves at seven chunks a step and is in no
 * slab, so it bounds both how long a row of frees goes by that way and what can keep slabs from emptying.
 */
#define HP_DEPOTS_BYTES (1024u << 10)
#define HP_DEPOT_MIN_BYTES (64u << 10)

/* The share of one owner when there are so many. */
HP_INLINE uint32_t hp_depot_share_bytes(uint32_t owners)
{
    uint32_t share = HP_DEPOTS_BYTES / owners;
    return share < HP_DEPOT_MIN_BYTES ? HP_DEPOT_MIN_BYTES : share;
}

HP_INLINE uint32_t hp_pack_bytes(unsigned size_class)
{
    return (size_class + 1) * HP_LINE_CHUNKS * HP_SMALL_STEP_BYTES;
}

/* The pack that is the next to go, or NULL. A hint for who does not hold the claim. */
HP_INLINE hp_pack *hp_depot_first(const hp_owner *owner, unsigned size_class)
{
    /* relaxed: under the claim P1 orders it; else it is compared with NULL and not followed */
    return atomic_load_explicit(&owner->depot[size_class], memory_order_relaxed);
}

HP_INLINE void hp_depot_set_first(hp_owner *owner, unsigned size_class, hp_pack *pack)
{
    /* relaxed: as above */
    atomic_store_explicit(&owner->depot[size_class], pack, memory_order_relaxed);
}

HP_INLINE void hp_depot_push(hp_owner *owner, unsigned size_class, hp_pack *pack)
{
    pack->next = hp_depot_first(owner, size_class);
    hp_depot_set_first(owner, size_class, pack);
    owner->depot_bytes += hp_pack_bytes(size_class);
}

/* NULL when the class has none. The pack goes back by hp_depot_recycle. */
HP_INLINE hp_pack *hp_depot_pop(hp_owner *owner, unsigned size_class)
{
    hp_pack *pack = hp_depot_first(owner, size_class);
    if (pack != NULL) {
        hp_depot_set_first(owner, size_class, pack->next);
        owner->depot_bytes -= hp_pack_bytes(size_class);
    }
    return pack;
}

HP_INLINE void hp_depot_recycle(hp_owner *owner, hp_pack *pack)
{
    pack->next = owner->spare_packs;
    owner->spare_packs = pack;
}

/* An empty pack; NULL when there is no room for one more of the class, or no spare pack. */
HP_INLINE hp_pack *hp_depot_new_pack(hp_owner *owner, unsigned size_class)
{
    hp_pack *pack = owner->spare_packs;
    /* relaxed: a bound that moves when another owner comes; what is above it then goes at its time */
    uint32_t bound = atomic_load_explicit(&owner->depot_bound_bytes, memory_order_relaxed);
    if (HP_UNLIKELY(pack == NULL || owner->depot_bytes + hp_pack_bytes(size_class) > bound)) {
        return NULL;
    }
    owner->spare_packs = pack->next;
    return pack;
}

/* Makes a few spare packs when there is none and memory for them. */
void hp_depot_make_packs(hp_owner *owner);

/* Packs of the class. */
uint32_t hp_depot_count(const hp_owner *owner, unsigned size_class);

/* The slab and the slot that a chunk from a line or a pack is; NULL after a report when it is none. */
hp_slab *hp_depot_slab_of(void *chunk, uint32_t *index);

/* Frees a chunk that came from a line or a pack: into its slab if that is this owner's, else by a note. */
void hp_depot_free_chunk(hp_owner *owner, void *chunk);

/* The same for each of the chunks, runs of one slab at once. */
void hp_depot_free_chunks(hp_owner *owner, void *const *chunks, unsigned count);

/* Returns all chunks of all packs to their slabs. */
void hp_depot_empty(hp_owner *owner);

const char *hp_depot_check(const hp_owner *owner);
