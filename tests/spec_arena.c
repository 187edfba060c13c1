/*
 * The arena when the system grants everything: how it grows, what it hands out, what it purges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena_runs.h"
#include "support/fake_system.h"

/* ---- growth: the first test of the process ---- */

static void a_region_is_a_quarter_of_all_before_it_from_4_mib_to_1_gib(void **state)
{
    (void)state;
    size_t total_bytes = 0;
    unsigned number = 0;
    do {
        size_t wanted_bytes = hp_round_up(total_bytes / 4, HP_REGION_ALIGN_BYTES);
        wanted_bytes = wanted_bytes < 4 * MIB ? 4 * MIB : wanted_bytes;
        given_full_regions();

        hp_run run = given_a_run(hp_page_bytes());

        assert_int_equal(run.region->number, number);
        assert_int_equal(region_bytes(number),
                         wanted_bytes < 1024 * MIB ? wanted_bytes : 1024 * MIB);
        total_bytes += region_bytes(number);
    } while (region_bytes(number++) < 1024 * MIB);
    assert_in_range(number, 20, 40);
}

static void a_request_goes_to_a_region_that_has_room(void **state)
{
    (void)state;
    unsigned regions = region_count();

    hp_run run = given_a_run(4 * MIB);

    assert_int_equal(region_count(), regions);
    assert_ptr_equal(run.region, hp_arena_region(run.region->number));
    give_back(&run);
}

static void a_claimed_region_with_room_is_passed_by_and_a_small_one_made(void **state)
{
    (void)state;
    given_full_regions();
    hp_run run = given_a_run(MIB);
    unsigned regions = region_count();
    size_t total_bytes = 0;
    for (unsigned number = 0; number < regions; number++) {
        total_bytes += region_bytes(number);
    }
    size_t share_bytes = hp_round_up(total_bytes / 64, HP_REGION_ALIGN_BYTES);
    assert_true(hp_region_claim(run.region));

    hp_run other = given_a_run(MIB);

    hp_region_release(run.region);
    assert_int_equal(region_count(), regions + 1);
    assert_int_equal(other.region->number, regions);
    assert_int_equal(region_bytes(regions), share_bytes < 4 * MIB ? 4 * MIB : share_bytes);
}

static void a_claimed_region_without_room_is_no_reason_for_a_small_one(void **state)
{
    (void)state;
    given_full_regions();
    assert_true(hp_region_claim(hp_arena_region(0)));

    hp_run run = given_a_run(MIB);

    hp_region_release(hp_arena_region(0));
    assert_int_equal(region_bytes(run.region->number), 1024 * MIB);
}

/* Two regions: the first has fresh pages only, the second a freed run. */
static void a_touched_run_of_a_later_region_goes_before_fresh_pages_of_an_earlier(void **state)
{
    (void)state;
    given_full_regions();
    hp_run fresh = given_a_run(hp_page_bytes());
    assert_true(hp_region_claim(fresh.region));
    hp_run later = given_a_run(MIB);
    hp_run behind = given_a_run(hp_page_bytes());
    hp_region_release(fresh.region);
    assert_true(later.region->number > fresh.region->number);
    assert_ptr_equal(behind.region, later.region);
    give_back(&later);

    hp_run again = given_a_run(MIB / 2);

    assert_ptr_equal(again.start, later.start);
}

static void untouched_pages_can_be_asked_for_first(void **state)
{
    (void)state;
    given_full_regions();
    hp_run low = given_a_run(MIB);
    hp_run high = given_a_run(hp_page_bytes());
    give_back(&low);
    hp_run run;

    assert_true(hp_arena_take_untouched(MIB, 64 << 10, &run));

    assert_true(run.zeroed);
    assert_true(run.start > high.start);
    assert_int_equal((uintptr_t)run.start % (64 << 10), 0);
    given_full_regions();
    assert_true(hp_arena_take_untouched(4 * MIB, hp_page_bytes(), &run));
}

static void a_run_that_waits_to_be_worked_in_is_found_before_the_arena_grows(void **state)
{
    (void)state;
    hp_run run = given_a_run(MIB);
    given_full_regions();
    unsigned regions = region_count();
    assert_true(hp_region_claim(run.region));
    give_back(&run);
    hp_region_release(run.region);

    hp_run again = given_a_run(MIB);

    assert_int_equal(region_count(), regions);
    assert_ptr_equal(again.start, run.start);
}

/* ---- runs ---- */

static void a_run_is_as_long_and_as_aligned_as_asked_for(void **state)
{
    (void)state;
    given_a_run(hp_page_bytes());
    for (size_t align = hp_page_bytes(); align <= HP_REGION_ALIGN_BYTES; align *= 2) {
        hp_run run;
        assert_true(hp_arena_take(3 * hp_page_bytes(), align, &run));

        assert_int_equal((uintptr_t)run.start % align, 0);
        assert_int_equal(run.bytes, 3 * hp_page_bytes());
        memset(run.start, 1, run.bytes);
    }
}

static void a_run_that_was_never_handed_out_reads_as_zeros_and_says_so(void **state)
{
    (void)state;
    given_full_regions();

    hp_run run = given_a_run(MIB);

    assert_true(run.zeroed);
    for (size_t byte = 0; byte < run.bytes; byte++) {
        assert_int_equal(run.start[byte], 0);
    }
}

static void a_run_that_was_freed_before_is_not_said_to_be_zeroed(void **state)
{
    (void)state;
    given_full_regions();
    hp_run run = given_a_run(MIB);
    memset(run.start, 1, run.bytes);
    give_back(&run);

    hp_run again = given_a_run(MIB);

    assert_ptr_equal(again.start, run.start);
    assert_false(again.zeroed);
}

static void a_purge_gives_back_what_is_free_in_every_region(void **state)
{
    (void)state;
    given_full_regions();
    hp_arena_purge();
    hp_run runs[2];
    for (unsigned index = 0; index < 2; index++) {
        runs[index] = given_a_run(MIB);
        memset(runs[index].start, 1, MIB);
        given_full_regions();
    }
    assert_ptr_not_equal(runs[0].region, runs[1].region);
    give_back(&runs[0]);
    give_back(&runs[1]);

    assert_int_equal(hp_arena_purge(), 2 * MIB);

    assert_int_equal(runs[0].start[0] + runs[1].start[0], 0);
    assert_int_equal(hp_arena_purge(), 0);
}

static void a_purge_passes_by_a_claimed_region(void **state)
{
    (void)state;
    hp_run run = given_a_run(MIB);
    hp_arena_purge();
    given_full_regions();
    give_back(&run);
    assert_true(hp_region_claim(run.region));

    assert_int_equal(hp_arena_purge(), 0);

    hp_region_release(run.region);
    assert_int_equal(hp_arena_purge(), MIB);
}

static void no_region_has_the_number_of_one_that_is_yet_to_come(void **state)
{
    (void)state;
    assert_null(hp_arena_region(region_count()));
    assert_null(hp_arena_region(UINT32_MAX));
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_region_is_a_quarter_of_all_before_it_from_4_mib_to_1_gib),
        SPEC(a_request_goes_to_a_region_that_has_room),
        SPEC(a_claimed_region_with_room_is_passed_by_and_a_small_one_made),
        SPEC(a_claimed_region_without_room_is_no_reason_for_a_small_one),
        SPEC(a_touched_run_of_a_later_region_goes_before_fresh_pages_of_an_earlier),
        SPEC(untouched_pages_can_be_asked_for_first),
        SPEC(a_run_that_waits_to_be_worked_in_is_found_before_the_arena_grows),
        SPEC(a_run_is_as_long_and_as_aligned_as_asked_for),
        SPEC(a_run_that_was_never_handed_out_reads_as_zeros_and_says_so),
        SPEC(a_run_that_was_freed_before_is_not_said_to_be_zeroed),
        SPEC(a_purge_gives_back_what_is_free_in_every_region),
        SPEC(a_purge_passes_by_a_claimed_region),
        SPEC(no_region_has_the_number_of_one_that_is_yet_to_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
