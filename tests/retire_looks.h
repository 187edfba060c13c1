/*
 * Looks at one owner, a pass apart each. The clock and the kernel are faked. cmocka.h has to be included before.
 */
#pragma once

#include "owner/retire.h"
#include "owner_slots.h"

enum { PASS_MS = 500, BLOCK_BYTES = 64, PORTIONS = 64 };

static uint32_t now_ms;

/* A new owner without anything, not claimed between the steps of a test. */
static inline int retire_setup(void **state)
{
    int failed = owner_setup(state);
    now_ms += 100000;
    hp_claim_release(&owner->claim);
    return failed;
}

static inline int retire_teardown(void **state)
{
    assert_true(hp_claim_try(&owner->claim));
    return owner_teardown(state);
}

/* A pass later. */
static inline bool look(void)
{
    now_ms += PASS_MS;
    return hp_owner_look(owner, now_ms, PASS_MS, PORTIONS) != HP_LOOK_DONE;
}

/* So many packs of seven chunks each wait in the depot of the class. */
static inline void given_packs(unsigned count)
{
    hp_depot_hand hand = {0};
    assert_true(hp_claim_try(&owner->claim));
    for (unsigned number = 0; number < count; number++) {
        assert_non_null(given_a_pack_of(owner, &hand, BLOCK_BYTES));
    }
    hp_depot_empty_hand(owner, &hand);
    hp_claim_release(&owner->claim);
}

static inline unsigned packs(void)
{
    return hp_depot_count(owner, hp_class_of(BLOCK_BYTES));
}
