/*
 * A claimed owner for tests, on the fake system, new for every test. cmocka.h has to be included
 * before.
 */
#pragma once

#include <string.h>

#include "metadata/address_map.h"
#include "owner/depot.h"
#include "owner/inbox.h"
#include "owner/owners.h"
#include "owner/retire.h"
#include "platform/system.h"
#include "support/fake_system.h"

static hp_owner *owner; /* claimed from setup to teardown */
static void *chunks[HP_SLAB_MAX_SLOTS];

/* All owners there are get claimed, so that the next one is new. */
static inline int owner_setup(void **state)
{
    fake_system_setup(state);
    for (hp_owner *other = hp_owners_first(); other != NULL; other = hp_owners_next(other)) {
        hp_claim_try(&other->claim);
    }
    owner = hp_owners_claim_any(NULL);
    return owner == NULL;
}

static inline int owner_teardown(void **state)
{
    const char *broken = hp_owner_check(owner);
    fake_system_teardown(state);
    if (broken != NULL) {
        print_error("%s\n", broken);
    }
    return broken != NULL;
}

static inline hp_slab *slab_of(const void *chunk)
{
    hp_entry entry = hp_map_get(chunk);
    assert_int_equal(hp_entry_kind(entry), HP_KIND_SLAB);
    return hp_entry_record(entry);
}

static inline uint32_t index_of(const void *chunk)
{
    return hp_slab_index(slab_of(chunk), chunk);
}

/* So many chunks into chunks[from] and on. */
static inline void given_chunks(size_t bytes, unsigned from, unsigned count)
{
    for (unsigned taken = 0; taken < count;) {
        unsigned more =
            hp_owner_take(owner, hp_class_of(bytes), count - taken, chunks + from + taken);
        assert_int_not_equal(more, 0);
        taken += more;
    }
}

/* Seven fresh chunks become a pack of the depot, which may be another owner's; NULL: it has no room for it. */
static inline hp_pack *given_a_pack_of(hp_owner *depot, hp_depot_hand *hand, size_t bytes)
{
    unsigned size_class = hp_class_of(bytes);
    if (!hp_depot_fill_hand(depot, hand, hp_pack_bytes(size_class))) {
        return NULL;
    }
    hp_pack *pack = hp_depot_hand_out(hand);
    hand->room_bytes -= hp_pack_bytes(size_class);
    given_chunks(bytes, 0, HP_LINE_CHUNKS);
    memcpy(pack->chunks, chunks, sizeof pack->chunks);
    hp_depot_push(depot, size_class, pack);
    return pack;
}

static inline bool put(const void *chunk)
{
    uint32_t index = index_of(chunk);
    return hp_owner_put_word(owner, slab_of(chunk), index / 64, (uint64_t)1 << index % 64) == 0;
}

/* Frees it as a thread that does not hold the claim. */
static inline void post(const void *chunk)
{
    uint32_t index = index_of(chunk);
    hp_inbox_post(slab_of(chunk), index / 64, (uint64_t)1 << index % 64);
}

static inline hp_class_slabs *slabs_of(size_t bytes)
{
    return &owner->classes[hp_class_of(bytes)];
}

/* The purger looks until a pass over the owner is at its end. */
static inline void a_pass_goes_by(uint32_t now_ms)
{
    atomic_store(&owner->watched, true);
    hp_claim_release(&owner->claim);
    while (hp_owner_look(owner, now_ms, 500, 64) == HP_LOOK_SOON) {
    }
    assert_true(hp_claim_try(&owner->claim));
}
