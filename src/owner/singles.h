/*
 * singles: chunks above those of lines, 8 to 256 KiB. In the depot each is a pack of its own.
 *
 * A slot that was freed stays out of its slab, and a run of pages out of its region, until somebody asks for one of
 * the class or nobody did for a while. What they take is counted apart from the packs of lines, so that a few large
 * chunks leave these their room; and runs are free pages all the same: before pages are touched that have no memory,
 * those of the depot go to their regions.
 *
 * Owns:        nothing; the packs are the depot's.
 * Invariants:
 *   SI1 single_bytes is what all singles of the owner's depot take, and the room that its threads hold; more room is
 *       given only up to single_bound_bytes.
 *   SI2 a single in the depot is known as freed: a run by its map entry, a slot or a block of slots by its slab's
 *       word of those out.
 * Threads:     any.
 * Ordering:    P17, by the depot.
 * Progress:    lock-free; without a claim of the owner.
 * Calls:       pack, slab, large.   Used by: depot, slab, cache, front.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metadata/address_map.h"
#include "owner/owner.h"
#include "owner/pack.h"
#include "owner/slab.h"

/* All singles of all owners together, in equal shares, but of an owner at least so many. */
#define HP_SINGLES_BYTES (8192u << 10)
#define HP_SINGLES_MIN_BYTES (1024u << 10)

/* The share of one owner when there are so many. */
HP_INLINE uint32_t hp_singles_share_bytes(uint32_t owners)
{
    uint32_t share = HP_SINGLES_BYTES / owners;
    return share < HP_SINGLES_MIN_BYTES ? HP_SINGLES_MIN_BYTES : share;
}

/* What a pack says of its one chunk: what the map says while the program has it. A slot's index in its slab. */
typedef struct hp_single {
    void *chunk;
    hp_entry entry;
    uint32_t bytes;
    uint32_t index;
} hp_single;

_Static_assert(sizeof(hp_single) <= HP_LINE_CHUNKS * sizeof(void *),
               "it lies in the place of chunks");

HP_INLINE hp_single *hp_single_of(hp_pack *pack)
{
    return (hp_single *)(void *)pack;
}

/* The chunk goes to the program. */
HP_INLINE void hp_single_note_out(const hp_single *single)
{
    if (hp_entry_kind(single->entry) == HP_KIND_SLAB) {
        hp_slab_note_out(hp_entry_record(single->entry), single->index);
    } else {
        hp_map_set_page(single->chunk, single->entry);
    }
}

/* What a thread may add to the depot without counting it: the owner's count is changed in steps. */
typedef struct hp_singles_room {
    uint32_t bytes;
    uint32_t most_bytes; /* before a part goes back */
} hp_singles_room;

/* Adds at least so much; false: the owner has no more. */
bool hp_singles_get_room(hp_owner *owner, hp_singles_room *room, uint32_t bytes);

/* What is too much goes back. */
void hp_singles_ease_room(hp_owner *owner, hp_singles_room *room);

/* All of it does. */
void hp_singles_empty_room(hp_owner *owner, hp_singles_room *room);

/* So much less is in the depot, or held. */
void hp_singles_give_back(hp_owner *owner, uint32_t bytes);

/* The run of such a pack goes to its region. */
void hp_single_free_run(const hp_single *single);

/* Whether runs wait in the depot, as far as can be seen. */
bool hp_singles_have_runs(const hp_owner *owner);

/* They go to their regions. */
void hp_singles_free_runs(hp_owner *owner);

/*
 * A run that ends there could not grow. If its neighbour may be one that waits, all that wait go to their regions; false:
 * it is none, nothing was done.
 */
bool hp_singles_free_neighbour(hp_owner *owner, const void *end);

/* In a forked child: as hp_depot_recount. */
void hp_singles_recount(hp_owner *owner, uint32_t room_bytes);

/* While nobody changes the depot. */
const char *hp_singles_check(const hp_owner *owner);
