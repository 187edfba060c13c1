/*
 * Which owner a thread is bound to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "owners_list.h"

/* The first test of the process. */
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

static void further_threads_share_as_many_of_the_oldest_evenly(void **state)
{
    (void)state;
    given_owners(2 * hp_usable_processors());
    given_no_threads();
    unsigned processors = hp_usable_processors();

    for (unsigned threads = 0; threads < 3 * processors; threads++) {
        hp_owners_bind();
    }

    unsigned number = 0;
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        assert_int_equal(threads_of(owner), number++ < processors ? 3 : 0);
    }
}

static void also_when_they_are_claimed_and_others_are_not(void **state)
{
    (void)state;
    given_owners(2 * hp_usable_processors());
    given_no_threads();
    given_all_owners_claimed();
    hp_owner *youngest = hp_owners_first();
    while (hp_owners_next(youngest) != NULL) {
        youngest = hp_owners_next(youngest);
    }
    hp_claim_release(&youngest->claim);

    hp_owner *bound = hp_owners_bind();

    release_all_owners();
    assert_ptr_not_equal(bound, youngest);
}

static void one_that_is_claimed_at_the_moment_and_has_no_thread_comes_before_one_that_has(
    void **state)
{
    (void)state;
    if (hp_usable_processors() < 2) {
        skip(); /* threads share one owner there */
    }
    given_owners(2);
    hp_owners_count_processors();
    given_no_threads();
    hp_owner *first = hp_owners_bind();
    hp_owner *second = hp_owners_next(hp_owners_first());
    assert_true(hp_claim_try(&second->claim));

    hp_owner *bound = hp_owners_bind();

    hp_claim_release(&second->claim);
    assert_ptr_equal(first, hp_owners_first());
    assert_ptr_equal(bound, second);
}

static void an_owner_that_a_thread_left_serves_the_next_thread(void **state)
{
    (void)state;
    given_no_threads();
    for (unsigned threads = hp_usable_processors(); threads > 0; threads--) {
        hp_owners_bind();
    }
    hp_owner *left = hp_owners_first();

    hp_owners_unbind(left);

    assert_ptr_equal(hp_owners_bind(), left);
}

static void a_thread_that_was_not_counted_takes_nothing_off(void **state)
{
    (void)state;
    hp_owner *owner = hp_owners_bind();
    given_no_threads();

    hp_owners_unbind(owner);

    assert_int_equal(threads_of(owner), 0);
}

static void a_thread_of_a_forked_child_is_bound_to_any_owner_whose_claim_is_open(void **state)
{
    (void)state;
    given_owners(hp_usable_processors() + 3);
    given_no_threads();
    given_all_owners_claimed();
    hp_owner *open = hp_owners_next(hp_owners_next(hp_owners_first()));
    hp_claim_release(&open->claim);
    atomic_store(&open->bound_threads, 5);

    hp_owner *bound = hp_owners_bind_to_any();

    release_all_owners();
    assert_ptr_equal(bound, open);
}

/* The processors are numbered from 100 as their owners are from the oldest. */
static void given_an_owner_per_processor(uint32_t threads_each)
{
    given_owners(hp_usable_processors() + 1);
    hp_owners_count_processors();
    uint32_t number = 100;
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        atomic_store(&owner->processor, number++);
        atomic_store(&owner->bound_threads, threads_each);
    }
}

static hp_owner *youngest(void)
{
    hp_owner *owner = hp_owners_first();
    while (hp_owners_next(owner) != NULL) {
        owner = hp_owners_next(owner);
    }
    return owner;
}

static void one_of_many_threads_follows_its_processor_to_the_owner_there(void **state)
{
    (void)state;
    given_an_owner_per_processor(3);

    hp_owner *near = hp_owners_follow(youngest(), 100);

    assert_ptr_equal(near, hp_owners_first());
    assert_int_equal(threads_of(near), 4);
}

static void it_takes_its_owner_along_where_there_is_none(void **state)
{
    (void)state;
    given_an_owner_per_processor(3);
    hp_owner *owner = hp_owners_first();

    assert_null(hp_owners_follow(owner, 7));

    assert_int_equal(owner->processor, 7);
    assert_int_equal(threads_of(owner), 3);
}

static void the_owners_that_a_crowd_made_are_not_followed(void **state)
{
    (void)state;
    given_an_owner_per_processor(3);

    assert_null(hp_owners_follow(hp_owners_first(), 100 + hp_usable_processors()));
}

static void a_thread_that_has_its_owner_to_itself_takes_it_along(void **state)
{
    (void)state;
    given_an_owner_per_processor(2);
    hp_owner *owner = youngest();

    assert_null(hp_owners_follow(owner, 100));

    assert_int_equal(owner->processor, 100);
}

static void it_follows_also_where_the_owner_there_is_claimed_at_the_moment(void **state)
{
    (void)state;
    given_an_owner_per_processor(3);
    given_all_owners_claimed();

    hp_owner *near = hp_owners_follow(youngest(), 100);

    release_all_owners();
    assert_ptr_equal(near, hp_owners_first());
    assert_int_equal(threads_of(near), 4);
}

static void but_after_a_fork_not_to_one_that_was_claimed_and_may_be_for_ever(void **state)
{
    (void)state;
    given_an_owner_per_processor(3);
    hp_owner *stuck = hp_owners_first();
    assert_true(hp_claim_try(&stuck->claim));
    hp_owners_keep_only(youngest(), 0, 0);
    atomic_store(&youngest()->bound_threads, 3);

    hp_owner *near = hp_owners_follow(youngest(), 100);
    bool goes_along = hp_owners_follow(stuck, 100) == NULL && stuck->processor == 100;

    hp_claim_release(&stuck->claim);
    assert_null(near);
    assert_int_equal(youngest()->processor, 100);
    assert_false(goes_along);
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

    hp_owners_keep_only(mine, 0, 0);

    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        assert_int_equal(threads_of(owner), owner == mine ? 1 : 0);
    }
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(the_first_thread_makes_the_first_owner),
        SPEC(until_the_processors_are_counted_there_is_one),
        SPEC(every_thread_gets_an_owner_of_its_own_up_to_one_per_processor),
        SPEC(further_threads_share_as_many_of_the_oldest_evenly),
        SPEC(also_when_they_are_claimed_and_others_are_not),
        SPEC(one_that_is_claimed_at_the_moment_and_has_no_thread_comes_before_one_that_has),
        SPEC(an_owner_that_a_thread_left_serves_the_next_thread),
        SPEC(a_thread_that_was_not_counted_takes_nothing_off),
        SPEC(a_thread_of_a_forked_child_is_bound_to_any_owner_whose_claim_is_open),
        SPEC(one_of_many_threads_follows_its_processor_to_the_owner_there),
        SPEC(it_takes_its_owner_along_where_there_is_none),
        SPEC(the_owners_that_a_crowd_made_are_not_followed),
        SPEC(a_thread_that_has_its_owner_to_itself_takes_it_along),
        SPEC(it_follows_also_where_the_owner_there_is_claimed_at_the_moment),
        SPEC(but_after_a_fork_not_to_one_that_was_claimed_and_may_be_for_ever),
        SPEC(when_all_are_claimed_and_no_more_may_be_made_one_of_them_is_shared),
        SPEC(after_a_fork_only_the_owner_of_the_forking_thread_is_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
