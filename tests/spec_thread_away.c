/*
 * A thread that has gone to another processor than its owner's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "thread_lines.h"

#define THERE 5u    /* the processor of the oldest owner */
#define REFILLS 64u /* after so many elsewhere a thread has moved */

/* The caller works with the second owner, as two more threads do. */
static hp_owner *given_one_of_three_threads_elsewhere(void)
{
    hp_owner *there = hp_owners_first();
    atomic_store(&there->processor, THERE);
    hp_thread_flush(self);
    mine = there;
    bind_to_another_owner(self);
    atomic_store(&self->owner->bound_threads, 3);
    atomic_store(&self->owner->processor, THERE + 1);
    self->away_count = 0;
    return there;
}

static void refill_there(unsigned count)
{
    for (; count > 0; count--) {
        hp_thread_note_away(self, THERE);
    }
}

static void it_is_bound_to_that_processors_owner(void **state)
{
    (void)state;
    hp_owner *there = given_one_of_three_threads_elsewhere();
    hp_owner *before = self->owner;

    refill_there(REFILLS);

    assert_ptr_equal(self->owner, there);
    assert_int_equal(self->tag, hp_owner_tag(there->id));
    assert_int_equal(atomic_load(&before->bound_threads), 2);
}

static void not_before_it_has_stayed_there(void **state)
{
    (void)state;
    given_one_of_three_threads_elsewhere();
    hp_owner *before = self->owner;

    refill_there(REFILLS - 1);

    assert_ptr_equal(self->owner, before);
}

static void with_few_threads_the_owner_comes_along(void **state)
{
    (void)state;
    given_one_of_three_threads_elsewhere();
    hp_owner *before = self->owner;
    atomic_store(&before->bound_threads, 2);

    refill_there(REFILLS);

    assert_ptr_equal(self->owner, before);
    assert_int_equal(before->processor, THERE);
}

static void its_lines_come_along_and_what_it_held_of_the_depot_goes_back(void **state)
{
    (void)state;
    hp_owner *there = given_one_of_three_threads_elsewhere();
    hp_owner *before = self->owner;
    void *chunk = take(272);
    hepta_free(chunk);
    unsigned filled_before = filled(272);
    assert_true(hp_depot_fill_hand(before, &self->hand, 1024));

    refill_there(REFILLS);

    assert_ptr_equal(self->owner, there);
    assert_int_equal(filled(272), filled_before);
    assert_int_equal(self->hand.room_bytes, 0);
    assert_int_equal(self->hand.pack_count, 0);
    assert_int_equal(atomic_load(&before->depot_bytes), 0);
    assert_ptr_equal(take(272), chunk);
}

static void every_refill_of_a_line_counts_whatever_call_it_is_for(void **state)
{
    (void)state;
    given_one_of_three_threads_elsewhere();
    atomic_store(&self->owner->processor, HP_NO_PROCESSOR);

    assert_non_null(hepta_malloc(272));
    assert_int_equal(self->away_count, 1);
    assert_non_null(hepta_calloc(1, 288));
    assert_int_equal(self->away_count, 2);
    assert_non_null(hepta_memalign(64, 320));
    assert_int_equal(self->away_count, 3);
    assert_non_null(hepta_malloc(2000));
    assert_int_equal(self->away_count, 4);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, thread_setup, thread_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(it_is_bound_to_that_processors_owner),
        SPEC(not_before_it_has_stayed_there),
        SPEC(with_few_threads_the_owner_comes_along),
        SPEC(every_refill_of_a_line_counts_whatever_call_it_is_for),
        SPEC(its_lines_come_along_and_what_it_held_of_the_depot_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
