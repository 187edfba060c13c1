/*
 * The list of owners, for tests. cmocka.h has to be included before.
 */
#pragma once

#include "owner/owners.h"
#include "platform/system.h"
#include "support/fake_system.h"

static inline unsigned owner_count(void)
{
    unsigned count = 0;
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        count++;
    }
    return count;
}

static inline uint32_t threads_of(const hp_owner *owner)
{
    return atomic_load(&owner->bound_threads);
}

/* The threads of an idle machine: none is bound. */
static inline void given_no_threads(void)
{
    hp_owners_keep_only(NULL, 0, 0);
}

static inline void given_all_owners_claimed(void)
{
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        assert_true(hp_claim_try(&owner->claim));
    }
}

static inline void release_all_owners(void)
{
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        hp_claim_release(&owner->claim);
    }
}

/* At least so many: when all are claimed, a new one is made. */
static inline void given_owners(unsigned count)
{
    given_all_owners_claimed();
    while (owner_count() < count) {
        assert_non_null(hp_owners_claim_any(NULL));
    }
    release_all_owners();
}
