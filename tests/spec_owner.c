/*
 * Owners: how one is claimed, how many there are. How threads are bound to them is in spec_owner_binding.c, their
 * slabs are in spec_owner_slabs.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metadata/storage.h"
#include "owners_list.h"

static void given_no_memory_for_records(void)
{
    fake.maps_left = 0;
    while (hp_storage_take(2048) != NULL) {
    }
    while (hp_storage_take(64) != NULL) {
    }
}

/* ---- claiming ---- */

static void the_preferred_owner_is_claimed_when_it_is_open(void **state)
{
    (void)state;
    given_owners(2);
    hp_owner *preferred = hp_owners_next(hp_owners_first());

    assert_ptr_equal(hp_owners_claim_any(preferred), preferred);

    assert_true(hp_claim_is_taken(&preferred->claim));
    hp_claim_release(&preferred->claim);
}

static void when_the_preferred_owner_is_taken_another_one_is_claimed(void **state)
{
    (void)state;
    given_owners(2);
    hp_owner *preferred = hp_owners_first();
    unsigned owners = owner_count();
    assert_true(hp_claim_try(&preferred->claim));

    hp_owner *other = hp_owners_claim_any(preferred);

    assert_ptr_not_equal(other, preferred);
    assert_true(hp_claim_is_taken(&other->claim));
    assert_int_equal(owner_count(), owners);
    hp_claim_release(&other->claim);
    hp_claim_release(&preferred->claim);
}

static void when_all_owners_are_taken_a_new_one_is_made_and_claimed(void **state)
{
    (void)state;
    unsigned owners = owner_count();
    given_all_owners_claimed();

    hp_owner *fresh = hp_owners_claim_any(hp_owners_first());

    assert_int_equal(owner_count(), owners + 1);
    assert_null(hp_owners_next(fresh));
    assert_true(hp_claim_is_taken(&fresh->claim));
    release_all_owners();
}

static void no_two_owners_have_the_same_id_and_none_has_that_of_nobody(void **state)
{
    (void)state;
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        assert_in_range(owner->id, 1, HP_OWNER_ID_MAX);
        for (hp_owner *other = hp_owners_next(owner); other != NULL;
             other = hp_owners_next(other)) {
            assert_int_not_equal(owner->id, other->id);
        }
    }
}

/* ---- without memory: the last tests of the process ---- */

static void without_memory_a_thread_shares_an_owner_that_is_there(void **state)
{
    (void)state;
    hp_owners_keep_only(hp_owners_first(), 0, 0);
    unsigned owners = owner_count();
    given_no_memory_for_records();

    for (unsigned threads = 0; threads < 2 * owners; threads++) {
        assert_non_null(hp_owners_bind());
    }

    assert_int_equal(owner_count(), owners);
}

static void without_memory_no_owner_is_claimed_when_all_are_taken(void **state)
{
    (void)state;
    given_no_memory_for_records();
    given_all_owners_claimed();

    assert_null(hp_owners_claim_any(NULL));

    release_all_owners();
    assert_non_null(hp_owners_claim_any(NULL));
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(the_preferred_owner_is_claimed_when_it_is_open),
        SPEC(when_the_preferred_owner_is_taken_another_one_is_claimed),
        SPEC(when_all_owners_are_taken_a_new_one_is_made_and_claimed),
        SPEC(no_two_owners_have_the_same_id_and_none_has_that_of_nobody),
        SPEC(without_memory_a_thread_shares_an_owner_that_is_there),
        SPEC(without_memory_no_owner_is_claimed_when_all_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
