/*
 * Packs in the depot of a claimed owner, for tests. cmocka.h has to be included before.
 */
#pragma once

#include "owner_slots.h"

static hp_depot_hand hand;

static inline int depot_setup(void **state)
{
    hand = (hp_depot_hand){0};
    return owner_setup(state);
}

static inline int depot_teardown(void **state)
{
    hp_depot_empty_hand(owner, &hand);
    owner->bound_threads = 0;
    return owner_teardown(state);
}

/* A pack of seven fresh chunks in the depot; NULL: there is no room for it. */
static inline hp_pack *given_a_pack(size_t bytes)
{
    return given_a_pack_of(owner, &hand, bytes);
}

/* The pack of the class that is on top goes into the hand; its chunks go into their slabs. */
static inline void take_a_pack(size_t bytes)
{
    unsigned size_class = hp_class_of(bytes);
    hp_pack *pack = hp_depot_pop(owner, size_class);
    hp_depot_free_chunks(owner, pack->chunks, HP_LINE_CHUNKS);
    hp_depot_keep(&hand, pack);
    hand.room_bytes += hp_pack_bytes(size_class);
}
