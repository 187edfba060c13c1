/*
 * Owners: how threads are bound to them, how one is claimed, how many there are. Their slabs are in
 * spec_owner_slabs.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metadata/storage.h"
#include "owner/owners.h"
#include "platform/system.h"
#include "support/fake_system.h"

static unsigned owner_count(void)
{
    unsigned count = 0;
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        count++;
    }
    return count;
}

static uint32_t threads_of(const hp_owner *owner)
{
    return atomic_load(&owner->bound_threads);
}

/* The threads of an idle machine: none is bound. */
static void given_no_threads(void)
{
    hp_owners_keep_only(NULL, 0);
}

static void given_all_owners_claimed(void)
{
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        assert_true(hp_claim_try(&owner->claim));
    }
}

static void release_all_owners(void)
{
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        hp_claim_release(&owner->claim);
    }
}

/* At least so many: when all are claimed, a new one is made. */
static void given_owners(unsigned count)
{
    given_all_owners_claimed();
    while (owner_count() < count) {
        assert_non_null(hp_owners_claim_any(NULL));
    }
    release_all_owners();
}

static void given_no_memory_for_records(void)
{
    fake.maps_left = 0;
    while (hp_storage_take(2048) != NULL) {
    }
    while (hp_storage_take(64) != NULL) {
    }
}

/* ---- binding: the first test of the process ---- */

static void the_first_thread_makes_the_first_owner(void **state)
{
    (void)state;
    assert_null(hp_owners_first());

    hp_owner *owner = hp_owners_bind();

    assert_non_null(owner);
    assert_ptr_equal(hp_owners_first(), owner);
    assert_int_equal(threads_of(owner), 1);
    assert_false(hp_claim_is_taken(&owner->claim));
}

static void until_the_processors_are_counted_there_is_one(void **state)
{
    (void)state;
    given_no_threads();

    for (unsigned threads = 0; threads < 12; threads++) {
        assert_non_null(hp_owners_bind());
    }

    assert_int_equal(owner_count(), 1);
}

static void every_thread_gets_an_owner_of_its_own_up_to_one_per_processor(void **state)
{
    (void)state;
    given_no_threads();
    unsigned most = hp_usable_processors();

    hp_owners_count_processors();

    for (unsigned threads = 0; threads < most; threads++) {
        assert_int_equal(threads_of(hp_owners_bind()), 1);
    }

    assert_int_equal(owner_count(), most);
    assert_int_equal(threads_of(hp_owners_bind()), 2);
    assert_int_equal(owner_count(), most);
}

static void further_threads_share_the_owners_evenly(void **state)
{
    (void)state;
    given_owners(4);
    given_no_threads();
    unsigned owners = owner_count();

    for (unsigned threads = 0; threads < 3 * owners; threads++) {
        hp_owners_bind();
    }

    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        assert_int_equal(threads_of(owner), 3);
    }
}

static void an_owner_that_a_thread_left_serves_the_next_thread(void **state)
{
    (void)state;
    given_owners(4);
    given_no_threads();
    for (unsigned threads = owner_count(); threads > 0; threads--) {
        hp_owners_bind();
    }
    hp_owner *left = hp_owners_next(hp_owners_first());

    hp_owners_unbind(left);

    assert_ptr_equal(hp_owners_bind(), left);
}

static void a_thread_is_bound_to_an_owner_whose_claim_is_open(void **state)
{
    (void)state;
    given_owners(4);
    given_no_threads();
    given_all_owners_claimed();
    hp_owner *open = hp_owners_next(hp_owners_next(hp_owners_first()));
    hp_claim_release(&open->claim);

    hp_owner *bound = hp_owners_bind();

    release_all_owners();
    assert_ptr_equal(bound, open);
}

static void when_all_are_claimed_and_no_more_may_be_made_one_of_them_is_shared(void **state)
{
    (void)state;
    given_no_threads();
    unsigned owners = owner_count();
    given_all_owners_claimed();

    hp_owner *bound = hp_owners_bind();

    release_all_owners();
    assert_non_null(bound);
    assert_int_equal(owner_count(), owners);
}

static void after_a_fork_only_the_owner_of_the_forking_thread_is_bound(void **state)
{
    (void)state;
    hp_owner *mine = hp_owners_bind();
    hp_owners_bind();

    hp_owners_keep_only(mine, 0);

    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        assert_int_equal(threads_of(owner), owner == mine ? 1 : 0);
    }
}

/* ---- claiming ---- */

static void the_preferred_owner_is_claimed_when_it_is_open(void **state)
{
    (void)state;
    hp_owner *preferred = hp_owners_next(hp_owners_first());

    assert_ptr_equal(hp_owners_claim_any(preferred), preferred);

    assert_true(hp_claim_is_taken(&preferred->claim));
    hp_claim_release(&preferred->claim);
}

static void when_the_preferred_owner_is_taken_another_one_is_claimed(void **state)
{
    (void)state;
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
    hp_owners_keep_only(hp_owners_first(), 0);
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
        SPEC(the_first_thread_makes_the_first_owner),
        SPEC(until_the_processors_are_counted_there_is_one),
        SPEC(every_thread_gets_an_owner_of_its_own_up_to_one_per_processor),
        SPEC(further_threads_share_the_owners_evenly),
        SPEC(an_owner_that_a_thread_left_serves_the_next_thread),
        SPEC(a_thread_is_bound_to_an_owner_whose_claim_is_open),
        SPEC(when_all_are_claimed_and_no_more_may_be_made_one_of_them_is_shared),
        SPEC(after_a_fork_only_the_owner_of_the_forking_thread_is_bound),
        SPEC(the_preferred_owner_is_claimed_when_it_is_open),
        SPEC(when_the_preferred_owner_is_taken_another_one_is_claimed),
        SPEC(when_all_owners_are_taken_a_new_one_is_made_and_claimed),
        SPEC(no_two_owners_have_the_same_id_and_none_has_that_of_nobody),
        SPEC(without_memory_a_thread_shares_an_owner_that_is_there),
        SPEC(without_memory_no_owner_is_claimed_when_all_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
