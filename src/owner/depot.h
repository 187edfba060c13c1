/*
 * depot: packs of chunks between the lines of an owner's threads and its slabs, so that seven chunks move as one.
 *
 * Whoever fills or empties a line needs no claim for it: a thread that is suspended on the way keeps the seven
 * chunks in its hands and nothing else. What would be counted at every step is counted in steps of a few packs: a
 * thread's hand holds room that it may fill without asking, and packs that it has emptied.
 *
 * Owns:        the packs on the stacks of an owner.
 * Invariants:
 *   D1  depot_bytes is what the chunks of all packs of cached classes take and the room in the hands of the owner's
 *       threads; more room is given only up to depot_bound_bytes, a part of slab_bytes, and HP_HAND_MIN_BYTES for
 *       each thread. Packs of other classes are counted apart: see singles.h.
 *   D2  a chunk in a pack is out of its slab: its bit is not set.
 *   D3  an owner with a pack is watched, or whoever pushed it is about to ring (P16).
 * Threads:     pop: any thread. push and what a hand holds: any of the owner's. What frees chunks: under the claim.
 * Ordering:    P16, P17.
 * Progress:    lock-free.
 * Calls:       owner, pack.   Used by: thread, owner.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "owner/owner.h"
#include "owner/pack.h"
#include "owner/retire.h"

/*
 * All packs of all owners together, in equal shares. What lies here moves at seven chunks a step and is in no
 * slab, so it bounds both how long a row of frees goes by that way and what can keep slabs from emptying.
 */
#define HP_DEPOTS_BYTES (1024u << 10)
#define HP_DEPOT_MIN_BYTES (64u << 10)

/*
 * An owner with much has more to move: this part of what its slabs take comes on top for small classes. A crowd needs
 * the claim less often then. One thread's chunks do well to go back to the slabs, which hand them out in the order of
 * their addresses: what a program allocates one after the other lies side by side.
 */
#define HP_DEPOT_SLAB_PART 4u
#define HP_DEPOT_ALONE_MAX_BYTES (1u << 20)
#define HP_DEPOT_CROWD_MAX_BYTES (16u << 20)

/* How much room a hand may hold in any case; those of few threads may hold more. */
#define HP_HAND_MIN_BYTES (8u << 10)

/* Empty packs travel in bundles: one, and the names of so many others in the place of its chunks. */
#define HP_BUNDLE_NAMES (HP_LINE_CHUNKS * sizeof(void *) / sizeof(uint16_t))
#define HP_BUNDLE_PACKS (HP_BUNDLE_NAMES + 1)
#define HP_HAND_PACKS (2 * HP_BUNDLE_PACKS)

typedef struct hp_depot_hand {
    uint32_t room_bytes;
    uint32_t most_bytes; /* of room, before a part goes back */
    uint32_t pack_count;
    uint16_t packs[HP_HAND_PACKS]; /* the names of empty ones */
} hp_depot_hand;

_Static_assert(sizeof(hp_depot_hand) == (size_t)2 * HP_CACHE_LINE_BYTES,
               "a hand is two cache lines");

/* The share of one owner when there are so many. */
HP_INLINE uint32_t hp_depot_share_bytes(uint32_t owners)
{
    uint32_t share = HP_DEPOTS_BYTES / owners;
    return share < HP_DEPOT_MIN_BYTES ? HP_DEPOT_MIN_BYTES : share;
}

/* Chunks of a pack of the class: a line of a small one, about half a line of a medium one, else one. */
HP_INLINE unsigned hp_pack_chunks(unsigned size_class)
{
    if (size_class < HP_SMALL_CLASSES) {
        return HP_LINE_CHUNKS;
    }
    return size_class < HP_CACHED_CLASSES ? hp_medium_line_chunks(size_class) / 2 + 1 : 1;
}

HP_INLINE uint32_t hp_pack_bytes(unsigned size_class)
{
    return hp_pack_chunks(size_class) * (uint32_t)hp_class_bytes(size_class);
}

/* A hint for who wants a pack of the class. */
HP_INLINE bool hp_depot_has(const hp_owner *owner, unsigned size_class)
{
    return !hp_pack_stack_is_empty(&owner->depot[size_class]);
}

/* Whether the hand has to be eased before it takes one more pack. */
HP_INLINE bool hp_depot_hand_is_full(const hp_depot_hand *hand)
{
    return hand->room_bytes > hand->most_bytes || hand->pack_count == HP_HAND_PACKS;
}

/* A part of the room and a bundle of packs go back. */
void hp_depot_ease_hand(hp_owner *owner, hp_depot_hand *hand);

/*
 * Whether there is room for packs of medium classes, which get no part of the slabs: with few slots in each, their
 * slabs soon empty, and then serve other classes.
 */
bool hp_depot_takes_medium(const hp_owner *owner);

/* All that the hand holds goes back. */
void hp_depot_empty_hand(hp_owner *owner, hp_depot_hand *hand);

/* Sees to it that the hand has so much room and a pack; false: the depot is full, or no pack is left. */
bool hp_depot_fill_hand(hp_owner *owner, hp_depot_hand *hand, uint32_t bytes);

/* NULL when the class has none. The pack goes on by hp_depot_keep, into a hand that is not full. */
HP_INLINE hp_pack *hp_depot_pop(hp_owner *owner, unsigned size_class)
{
    return hp_pack_pop(&owner->depot[size_class]);
}

HP_INLINE void hp_depot_keep(hp_depot_hand *hand, const hp_pack *pack)
{
    hand->packs[hand->pack_count] = (uint16_t)hp_pack_name(pack);
    hand->pack_count++;
}

/* A pack and room for it are at hand. */
HP_INLINE bool hp_depot_hand_is_ready(const hp_depot_hand *hand, uint32_t bytes)
{
    return hand->room_bytes >= bytes && hand->pack_count > 0;
}

HP_INLINE hp_pack *hp_depot_hand_out(hp_depot_hand *hand)
{
    hand->pack_count--;
    /* Out of the hand before it is written to: a signal handler may end or fork the process here. */
    HP_SIGNAL_BARRIER();
    return &hp_packs[hand->packs[hand->pack_count]];
}

/*
 * A pack of another owner that was popped and emptied goes back there at once, with its room. A thread that kept it
 * would carry packs from owner to owner, where one frees what another allocates, until there are none for new ones.
 */
void hp_depot_return_pack(hp_owner *owner, const hp_pack *pack, uint32_t room_bytes);

HP_INLINE void hp_depot_push(hp_owner *owner, unsigned size_class, hp_pack *pack)
{
    hp_pack_push(&owner->depot[size_class], pack);
    /* Behind the push: who stops watching looks at every stack after it, and is seen here or sees the pack. */
    hp_owner_have_watched(owner);
}

/* Packs of the class. */
uint32_t hp_depot_count(const hp_owner *owner, unsigned size_class);

/* What the packs of the classes from the first to before the end take. */
uint64_t hp_depot_packed_bytes(const hp_owner *owner, unsigned first_class, unsigned end_class);

/* The slab and the slot that a chunk from a line or a pack is; NULL after a report when it is none. */
hp_slab *hp_depot_slab_of(void *chunk, uint32_t *index);

/* Frees a chunk that came from a line or a pack: into its slab if that is this owner's, else by a note. */
void hp_depot_free_chunk(hp_owner *owner, void *chunk);

/* The same for each of the chunks, runs of one slab at once. */
void hp_depot_free_chunks(hp_owner *owner, void *const *chunks, unsigned count);

/*
 * The chunks of a pack of the class and of all that hang below it go into their slabs, or to their regions; the
 * number of packs. They are out of their stack. Under the claim, unless they are runs.
 */
unsigned hp_depot_free_packs(hp_owner *owner, unsigned size_class, hp_pack *pack);

/* The same for all packs of the classes from first on, below end. */
void hp_depot_empty_classes(hp_owner *owner, unsigned first, unsigned end);

/* Returns all chunks of all packs. Under the claim. */
void hp_depot_empty(hp_owner *owner);

/* In a forked child: the room in other threads' hands went with them; so much is in the caller's. */
void hp_depot_recount(hp_owner *owner, uint32_t room_bytes);

/* While nobody changes the depot. */
const char *hp_depot_check(const hp_owner *owner);
