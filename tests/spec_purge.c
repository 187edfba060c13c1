/*
 * Free dirty pages go back to the system when they are due. The kernel's refusals and the clock are faked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena/purge.h"
#include "arena_runs.h"
#include "support/fake_system.h"

enum { AGE_MS = 100 };

static bool remains;

/* As the purger does it: at the fake clock's time. */
static uint64_t purge(uint64_t due_pages)
{
    remains = false;
    return hp_purge_regions(due_pages, (uint32_t)fake.now_ms, AGE_MS, &remains);
}

static uint64_t pages(size_t bytes)
{
    return bytes / hp_page_bytes();
}

/* Everything that earlier tests left is clean, and nothing is watched. */
static int setup(void **state)
{
    fake_system_setup(state);
    fake.now_ms = 50000;
    hp_arena_unmap_idle();
    hp_arena_purge();
    purge(UINT64_MAX);
    assert_false(remains);
    assert_int_equal(hp_purge_dirty_pages(), 0);
    fake_system_forget();
    return 0;
}

/* A run that was written to and freed, between two others that stay. */
static hp_run given_a_dirty_run(size_t bytes)
{
    given_a_run(hp_page_bytes());
    hp_run run = given_a_run(bytes);
    given_a_run(hp_page_bytes());
    memset(run.start, 1, bytes);
    give_back(&run);
    hp_purge_settle();
    return run;
}

static void a_run_that_is_due_is_given_back_in_one_call_and_comes_clean(void **state)
{
    (void)state;
    hp_run run = given_a_dirty_run(MIB);
    assert_int_equal(hp_purge_dirty_pages(), pages(MIB));
    fake.now_ms += AGE_MS;

    assert_int_equal(purge(pages(MIB)), pages(MIB));

    assert_int_equal(fake.discards_asked, 1);
    assert_int_equal(fake.discarded_bytes, MIB);
    assert_int_equal(hp_purge_dirty_pages(), 0);
    assert_int_equal(run.start[MIB / 2], 0);
    hp_run again = given_a_run(MIB);
    assert_ptr_equal(again.start, run.start);
    assert_true(again.zeroed);
}

static void no_more_goes_back_than_is_due_and_the_upper_end_goes_first(void **state)
{
    (void)state;
    hp_run run = given_a_dirty_run(MIB);
    fake.now_ms += AGE_MS;

    assert_int_equal(purge(pages(MIB) / 4), pages(MIB) / 4);

    assert_int_equal(hp_purge_dirty_pages(), pages(MIB) * 3 / 4);
    assert_int_equal(run.start[MIB - 1], 0);
    assert_int_equal(run.start[MIB / 2], 1);
    assert_true(remains);
}

static void a_run_that_was_freed_a_moment_ago_stays(void **state)
{
    (void)state;
    given_a_dirty_run(MIB);
    fake.now_ms += AGE_MS - 1;

    assert_int_equal(purge(UINT64_MAX), 0);

    assert_int_equal(fake.discards_asked, 0);
    assert_true(remains);
}

static void a_run_that_is_used_again_costs_no_call(void **state)
{
    (void)state;
    hp_run run = given_a_dirty_run(MIB);
    fake.now_ms += AGE_MS;
    hp_run again = given_a_run(MIB);
    assert_ptr_equal(again.start, run.start);

    assert_int_equal(purge(UINT64_MAX), 0);

    assert_int_equal(fake.discards_asked, 0);
    assert_false(remains);
}

static void when_all_is_clean_nothing_remains_until_the_next_free(void **state)
{
    (void)state;
    given_a_dirty_run(MIB);
    fake.now_ms += AGE_MS;
    purge(UINT64_MAX);
    assert_true(remains);

    purge(0);
    assert_false(remains);
    given_a_dirty_run(MIB);
    purge(0);

    assert_true(remains);
}

static void a_large_run_goes_back_in_batches(void **state)
{
    (void)state;
    hp_run runs[40];
    for (unsigned index = 0; index < 40; index++) {
        runs[index] = given_a_run(2 * MIB);
    }
    for (unsigned index = 0; index < 40; index++) {
        give_back(&runs[index]);
    }
    hp_purge_settle();
    fake.now_ms += AGE_MS;
    size_t dirty_bytes = hp_purge_dirty_pages() * hp_page_bytes();
    assert_true(dirty_bytes >= 80 * MIB);

    while (purge(UINT64_MAX) > 0) {
    }

    assert_int_equal(hp_purge_dirty_pages(), 0);
    assert_int_equal(fake.discarded_bytes, dirty_bytes);
    assert_in_range(fake.discards_asked, dirty_bytes / HP_PURGE_BATCH_BYTES, 40);
}

static void many_small_runs_go_back(void **state)
{
    (void)state;
    hp_run runs[3000];
    for (unsigned index = 0; index < 3000; index++) {
        runs[index] = given_a_run(hp_page_bytes());
    }
    for (unsigned index = 0; index < 3000; index += 2) {
        give_back(&runs[index]);
    }
    hp_purge_settle();
    fake.now_ms += AGE_MS;

    for (unsigned look = 0; look < 20; look++) {
        purge(UINT64_MAX);
    }

    assert_int_equal(hp_purge_dirty_pages(), 0);
    assert_int_equal(fake.discarded_bytes, 1500 * hp_page_bytes());
    assert_false(remains);
}

static void a_region_that_is_claimed_is_passed_by_and_remains(void **state)
{
    (void)state;
    hp_run run = given_a_dirty_run(MIB);
    fake.now_ms += AGE_MS;
    assert_true(hp_region_claim(run.region));

    assert_int_equal(purge(UINT64_MAX), 0);
    assert_true(remains);
    hp_region_release(run.region);

    assert_int_equal(purge(UINT64_MAX), pages(MIB));
}

static void a_note_that_was_left_for_a_claimed_region_is_worked_in(void **state)
{
    (void)state;
    hp_run run = given_a_run(MIB);
    assert_true(hp_region_claim(run.region));
    give_back(&run);
    hp_claim_release(&run.region->claim);

    purge(0);
    assert_int_equal(hp_purge_dirty_pages(), pages(MIB));
    assert_true(remains);
}

/* In one region; each of them has a page behind it that stays. */
static void given_dirty_runs_apart(hp_run *runs, unsigned count)
{
    given_full_regions();
    for (unsigned index = 0; index < count; index++) {
        runs[index] = given_a_run(MIB);
        memset(runs[index].start, 1, MIB);
        given_a_run(hp_page_bytes());
    }
    for (unsigned index = 0; index < count; index++) {
        give_back(&runs[index]);
    }
    hp_purge_settle();
}

static void runs_that_lie_apart_go_in_one_batch(void **state)
{
    (void)state;
    hp_run runs[3];
    given_dirty_runs_apart(runs, 3);
    fake.now_ms += AGE_MS;

    assert_int_equal(purge(UINT64_MAX), 3 * pages(MIB));

    assert_int_equal(fake.batches_asked, 1);
    assert_int_equal(fake.discards_asked, 3);
}

static void what_is_refused_in_a_batch_keeps_nothing_else_from_going(void **state)
{
    (void)state;
    hp_run runs[3];
    given_dirty_runs_apart(runs, 3);
    fake.now_ms += AGE_MS;
    fake.refuse_discard_at = runs[1].start;

    assert_int_equal(purge(UINT64_MAX), 2 * pages(MIB));

    assert_int_equal(fake.batches_asked, 2);
    assert_int_equal(((char *)runs[0].start)[0], 0);
    assert_int_equal(((char *)runs[1].start)[0], 1);
    assert_int_equal(((char *)runs[2].start)[0], 0);
    hp_run again = given_a_run(MIB);
    assert_ptr_equal(again.start, runs[1].start);
    assert_false(again.zeroed);
    give_back(&again);
    fake.refuse_discard_at = NULL;
    hp_arena_purge();
}

static void what_the_kernel_keeps_stays_dirty_and_is_not_asked_for_again(void **state)
{
    (void)state;
    hp_run run = given_a_dirty_run(MIB);
    fake.now_ms += AGE_MS;
    fake.refuse_discard = true;

    assert_int_equal(purge(UINT64_MAX), 0);
    purge(UINT64_MAX);
    assert_false(remains);

    assert_int_equal(fake.discards_asked, 1);
    assert_int_equal(hp_purge_dirty_pages(), 0);
    hp_run again = given_a_run(MIB);
    assert_ptr_equal(again.start, run.start);
    assert_false(again.zeroed);
    fake.refuse_discard = false;
    give_back(&again);
    assert_true(hp_arena_purge() >= MIB);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_run_that_is_due_is_given_back_in_one_call_and_comes_clean),
        SPEC(no_more_goes_back_than_is_due_and_the_upper_end_goes_first),
        SPEC(a_run_that_was_freed_a_moment_ago_stays),
        SPEC(a_run_that_is_used_again_costs_no_call),
        SPEC(when_all_is_clean_nothing_remains_until_the_next_free),
        SPEC(a_large_run_goes_back_in_batches),
        SPEC(many_small_runs_go_back),
        SPEC(a_region_that_is_claimed_is_passed_by_and_remains),
        SPEC(a_note_that_was_left_for_a_claimed_region_is_worked_in),
        SPEC(runs_that_lie_apart_go_in_one_batch),
        SPEC(what_is_refused_in_a_batch_keeps_nothing_else_from_going),
        SPEC(what_the_kernel_keeps_stays_dirty_and_is_not_asked_for_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
