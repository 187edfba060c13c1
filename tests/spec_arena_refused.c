/*
 * The arena when the system refuses: it backs off, it leaks nothing, it looks once more, it says no.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena_runs.h"
#include "metadata/storage.h"
#include "support/fake_system.h"

/* Of the address map: 8 bytes for each of 2^18 pages; it stays once it is there. */
#define LEAF_BYTES ((size_t)8 << 18)

/* ---- the first test of the process: nothing is mapped yet ---- */

static void whichever_mapping_is_refused_nothing_but_the_map_stays_mapped(void **state)
{
    (void)state;
    hp_run run;
    int64_t records_before = (int64_t)hp_storage_mapped_bytes();
    unsigned maps_left = 0;
    for (;; maps_left++) {
        fake.maps_left = maps_left;
        if (hp_arena_take(MIB, hp_page_bytes(), &run)) {
            break;
        }
        int64_t records_bytes = (int64_t)hp_storage_mapped_bytes() - records_before;
        int64_t leaves = records_bytes / (int64_t)LEAF_BYTES;
        assert_int_equal(records_bytes, leaves * (int64_t)LEAF_BYTES);
        assert_in_range(leaves, 0, 2);
        assert_int_equal(fake.mapped_bytes - records_bytes, leaves * 2 * (int64_t)hp_page_bytes());
    }
    assert_true(maps_left >= 4); /* the range, its tables, a leaf of the map, the reserve */
    assert_int_equal(region_count(), 1);
}

/* ---- backing off ---- */

static void a_refused_size_is_tried_again_at_nine_tenths(void **state)
{
    (void)state;
    size_t mapped_bytes = 0;
    while (mapped_bytes < 480 * MIB) {
        given_full_regions();
        given_a_run(hp_page_bytes());
        mapped_bytes = 0;
        for (unsigned each = 0; each < region_count(); each++) {
            mapped_bytes += region_bytes(each);
        }
    }
    given_full_regions();
    fake_system_forget();
    fake.map_limit_bytes = 80 * MIB;

    hp_run run = given_a_run(MIB);

    size_t asked = hp_round_up(mapped_bytes / 4, HP_REGION_ALIGN_BYTES);
    assert_true(asked > 120 * MIB);
    for (unsigned index = 0; index < 4; index++) {
        assert_int_equal(fake.map_bytes[index], asked);
        asked = asked / 10 * 9 / HP_REGION_ALIGN_BYTES * HP_REGION_ALIGN_BYTES;
    }
    assert_in_range(region_bytes(run.region->number), 70 * MIB, 80 * MIB);
}

static void backing_off_comes_down_to_what_the_request_needs_and_ends(void **state)
{
    (void)state;
    given_full_regions();
    fake_system_forget();
    fake.map_limit_bytes = MIB;
    hp_run run;

    assert_false(hp_arena_take(3 * MIB, hp_page_bytes(), &run));

    assert_in_range(fake.maps_asked, 2, FAKE_MAPS_REMEMBERED - 1);
    assert_int_equal(fake.map_bytes[fake.maps_asked - 1], 4 * MIB);
    for (unsigned index = 1; index < fake.maps_asked; index++) {
        assert_true(fake.map_bytes[index] < fake.map_bytes[index - 1]);
    }
}

static void the_least_region_that_serves_the_request_is_good_enough(void **state)
{
    (void)state;
    given_full_regions();
    fake.map_limit_bytes = 6 * MIB; /* 2 MiB of them may have to be cut off */

    hp_run run = given_a_run(3 * MIB);

    assert_in_range(region_bytes(run.region->number), 4 * MIB, 6 * MIB);
}

/* ---- saying no ---- */

static void a_refused_request_leaves_the_arena_as_it_was(void **state)
{
    (void)state;
    hp_run kept = given_a_run(64 << 10);
    given_full_regions();
    give_back(&kept);
    unsigned regions = region_count();
    fake_system_forget();
    fake.maps_left = 0;
    hp_run run;

    assert_false(hp_arena_take(MIB, hp_page_bytes(), &run));

    assert_int_equal(region_count(), regions);
    assert_int_equal(fake.mapped_bytes, 0);
    assert_true(hp_arena_take(64 << 10, hp_page_bytes(), &run));
    assert_ptr_equal(run.start, kept.start);
}

static void a_thousand_refused_requests_use_up_no_records(void **state)
{
    (void)state;
    given_full_regions();
    assert_non_null(hp_storage_take(64));
    uint64_t before = hp_storage_mapped_bytes();
    fake.map_limit_bytes = MIB; /* enough for records, not for a region */
    hp_run run;

    for (unsigned tries = 0; tries < 1000; tries++) {
        assert_false(hp_arena_take(MIB, hp_page_bytes(), &run));
    }

    assert_in_range(hp_storage_mapped_bytes() - before, 0, MIB);
}

static void after_a_refusal_the_arena_grows_as_soon_as_the_system_allows_it(void **state)
{
    (void)state;
    given_full_regions();
    fake.maps_left = 0;
    hp_run run;
    assert_false(hp_arena_take(MIB, hp_page_bytes(), &run));

    fake.maps_left = UINT_MAX;

    assert_true(hp_arena_take(MIB, hp_page_bytes(), &run));
}

/* ---- looking once more ---- */

static hp_region *busy_region;

static void release_busy_region(void)
{
    hp_region_release(busy_region);
}

static void a_region_that_was_claimed_a_moment_ago_is_looked_at_again(void **state)
{
    (void)state;
    hp_run kept = given_a_run(MIB);
    given_full_regions();
    give_back(&kept);
    busy_region = kept.region;
    assert_true(hp_region_claim(busy_region));
    fake.maps_left = 0;
    fake.when_refused = release_busy_region;
    hp_run run;

    assert_true(hp_arena_take(MIB, hp_page_bytes(), &run));

    assert_ptr_equal(run.start, kept.start);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(whichever_mapping_is_refused_nothing_but_the_map_stays_mapped),
        SPEC(a_refused_size_is_tried_again_at_nine_tenths),
        SPEC(backing_off_comes_down_to_what_the_request_needs_and_ends),
        SPEC(the_least_region_that_serves_the_request_is_good_enough),
        SPEC(a_refused_request_leaves_the_arena_as_it_was),
        SPEC(a_thousand_refused_requests_use_up_no_records),
        SPEC(after_a_refusal_the_arena_grows_as_soon_as_the_system_allows_it),
        SPEC(a_region_that_was_claimed_a_moment_ago_is_looked_at_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
