/*
 * What is due at which time. The clock is a number; the pages are a number too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/decay.h"

enum { BEGIN_MS = 5000, DECAY_MS = 1000, STEP_MS = DECAY_MS / (int)HP_DECAY_STEPS };

static hp_decay decay;
static uint64_t dirty_pages;

static void given_decay(int64_t decay_ms)
{
    hp_decay_begin(&decay, decay_ms, BEGIN_MS);
    dirty_pages = 0;
}

/* Somebody looks and returns what is due; how many that were. */
static uint64_t look(uint64_t now_ms)
{
    uint64_t due = hp_decay_due(&decay, now_ms, dirty_pages);
    assert_true(due <= dirty_pages);
    dirty_pages -= due;
    hp_decay_settle(&decay, dirty_pages);
    assert_null(hp_decay_check(&decay));
    return due;
}

/* A look at the end of every step up to the time. */
static void look_until(uint64_t from_ms, uint64_t until_ms)
{
    for (uint64_t now_ms = from_ms; now_ms <= until_ms; now_ms += STEP_MS) {
        look(now_ms);
    }
}

static void pages_that_were_just_freed_are_not_due(void **state)
{
    (void)state;
    given_decay(DECAY_MS);
    dirty_pages = 1000;

    assert_int_equal(look(BEGIN_MS), 0);
    assert_int_equal(look(BEGIN_MS + STEP_MS - 1), 0);
}

static void half_of_them_are_gone_after_half_the_time(void **state)
{
    (void)state;
    given_decay(DECAY_MS);
    dirty_pages = 100000;

    look_until(BEGIN_MS, BEGIN_MS + DECAY_MS / 2);

    assert_int_equal(dirty_pages, 50000);
}

static void all_of_them_are_gone_after_the_whole_time_and_not_before(void **state)
{
    (void)state;
    given_decay(DECAY_MS);
    dirty_pages = 100000;

    look_until(BEGIN_MS, BEGIN_MS + DECAY_MS - STEP_MS);
    assert_in_range(dirty_pages, 1, 200);
    look(BEGIN_MS + DECAY_MS);

    assert_int_equal(dirty_pages, 0);
}

static void a_single_page_stays_to_the_end(void **state)
{
    (void)state;
    given_decay(DECAY_MS);
    dirty_pages = 1;

    look_until(BEGIN_MS, BEGIN_MS + DECAY_MS - STEP_MS);
    assert_int_equal(dirty_pages, 1);
    look(BEGIN_MS + DECAY_MS);

    assert_int_equal(dirty_pages, 0);
}

static void no_look_has_to_return_more_than_a_tenth_of_a_burst(void **state)
{
    (void)state;
    given_decay(DECAY_MS);
    dirty_pages = 1000000;

    for (uint64_t now_ms = BEGIN_MS; now_ms <= BEGIN_MS + DECAY_MS; now_ms += STEP_MS) {
        assert_in_range(look(now_ms), 0, 100000);
    }
}

static void a_second_burst_has_its_own_time(void **state)
{
    (void)state;
    given_decay(DECAY_MS);
    dirty_pages = 1000;
    look_until(BEGIN_MS, BEGIN_MS + DECAY_MS / 2);
    dirty_pages += 1000;

    look_until(BEGIN_MS + DECAY_MS / 2 + STEP_MS, BEGIN_MS + DECAY_MS);
    assert_in_range(dirty_pages, 450, 600);
    look_until(BEGIN_MS + DECAY_MS + STEP_MS, BEGIN_MS + 2 * DECAY_MS);

    assert_int_equal(dirty_pages, 0);
}

static void pages_that_are_used_again_are_not_due(void **state)
{
    (void)state;
    given_decay(DECAY_MS);
    dirty_pages = 1000;
    look_until(BEGIN_MS, BEGIN_MS + 2 * STEP_MS);
    dirty_pages = 0;

    assert_int_equal(look(BEGIN_MS + DECAY_MS / 2), 0);
}

static void pages_that_come_and_go_below_what_may_stay_are_no_arrivals(void **state)
{
    (void)state;
    given_decay(DECAY_MS);
    dirty_pages = 1000;
    look_until(BEGIN_MS, BEGIN_MS + STEP_MS);
    uint64_t allowed = dirty_pages;
    dirty_pages = 100;
    look(BEGIN_MS + 2 * STEP_MS);
    dirty_pages = allowed - 10;

    look_until(BEGIN_MS + 3 * STEP_MS, BEGIN_MS + DECAY_MS);

    assert_int_equal(dirty_pages, 0);
}

static void what_could_not_be_returned_stays_due_and_does_not_count_again(void **state)
{
    (void)state;
    given_decay(DECAY_MS);
    for (uint64_t now_ms = BEGIN_MS; now_ms <= BEGIN_MS + DECAY_MS; now_ms += STEP_MS) {
        hp_decay_due(&decay, now_ms, 1000);
        hp_decay_settle(&decay, 1000);
    }

    assert_int_equal(hp_decay_due(&decay, BEGIN_MS + DECAY_MS, 1000), 1000);
}

static void two_looks_in_one_step_return_nothing_twice(void **state)
{
    (void)state;
    given_decay(DECAY_MS);
    dirty_pages = 1000;
    look_until(BEGIN_MS, BEGIN_MS + DECAY_MS / 2);

    assert_int_equal(look(BEGIN_MS + DECAY_MS / 2 + 1), 0);
}

static void after_a_long_silence_what_is_found_is_as_young_as_it_can_be(void **state)
{
    (void)state;
    given_decay(DECAY_MS);
    dirty_pages = 1000;
    assert_in_range(look(BEGIN_MS + 100 * DECAY_MS), 0, 10);

    look_until(BEGIN_MS + 100 * DECAY_MS + STEP_MS, BEGIN_MS + 101 * DECAY_MS);

    assert_int_equal(dirty_pages, 0);
}

static void nothing_is_left_when_nobody_looked_for_the_whole_time(void **state)
{
    (void)state;
    given_decay(DECAY_MS);
    dirty_pages = 1000;
    look(BEGIN_MS + STEP_MS);

    look(BEGIN_MS + 10 * DECAY_MS);

    assert_int_equal(dirty_pages, 0);
}

static void with_zero_everything_is_due_at_once(void **state)
{
    (void)state;
    given_decay(0);
    dirty_pages = 1000;

    assert_int_equal(look(BEGIN_MS), 1000);
    dirty_pages = 5;
    assert_int_equal(look(BEGIN_MS), 5);
    assert_int_equal(hp_decay_step_ms(&decay), 1);
}

static void with_never_nothing_is_ever_due(void **state)
{
    (void)state;
    given_decay(HP_DECAY_NEVER);
    dirty_pages = 1000;

    assert_int_equal(look(BEGIN_MS), 0);
    assert_int_equal(look(UINT64_MAX / HP_DECAY_STEPS), 0);
}

static void a_time_shorter_than_the_steps_are_many_is_kept_all_the_same(void **state)
{
    (void)state;
    given_decay(3);
    dirty_pages = 1000;

    for (uint64_t now_ms = BEGIN_MS; now_ms <= BEGIN_MS + 4; now_ms++) {
        look(now_ms);
    }

    assert_int_equal(dirty_pages, 0);
}

static void more_pages_than_a_machine_has_do_no_harm(void **state)
{
    (void)state;
    given_decay(HP_DECAY_MOST_MS);
    dirty_pages = UINT64_MAX;

    for (unsigned step = 0; step <= HP_DECAY_STEPS; step++) {
        look(BEGIN_MS + step * (uint64_t)HP_DECAY_MOST_MS / HP_DECAY_STEPS);
    }

    assert_true(dirty_pages <= UINT64_MAX - HP_DECAY_MOST_PAGES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_that_were_just_freed_are_not_due),
        cmocka_unit_test(half_of_them_are_gone_after_half_the_time),
        cmocka_unit_test(all_of_them_are_gone_after_the_whole_time_and_not_before),
        cmocka_unit_test(a_single_page_stays_to_the_end),
        cmocka_unit_test(no_look_has_to_return_more_than_a_tenth_of_a_burst),
        cmocka_unit_test(a_second_burst_has_its_own_time),
        cmocka_unit_test(pages_that_are_used_again_are_not_due),
        cmocka_unit_test(pages_that_come_and_go_below_what_may_stay_are_no_arrivals),
        cmocka_unit_test(what_could_not_be_returned_stays_due_and_does_not_count_again),
        cmocka_unit_test(two_looks_in_one_step_return_nothing_twice),
        cmocka_unit_test(after_a_long_silence_what_is_found_is_as_young_as_it_can_be),
        cmocka_unit_test(nothing_is_left_when_nobody_looked_for_the_whole_time),
        cmocka_unit_test(with_zero_everything_is_due_at_once),
        cmocka_unit_test(with_never_nothing_is_ever_due),
        cmocka_unit_test(a_time_shorter_than_the_steps_are_many_is_kept_all_the_same),
        cmocka_unit_test(more_pages_than_a_machine_has_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
