/*
 * A region and the runs that were freed last: when they come back and when the core gets them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "region_runs.h"
#include "support/fake_system.h"

static uint32_t allocate(hp_region *region, uint32_t pages)
{
    assert_true(hp_region_claim(region));
    uint32_t chunk = hp_region_allocate(region, pages, 1, HP_ANY_PAGES);
    hp_region_release(region);
    return chunk;
}

static void a_freed_run_comes_back_for_its_size_and_counts_as_free_meanwhile(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t chunk = given_a_run(region, 10);

    hp_region_free(region, chunk);

    assert_int_equal(atomic_load(&region->free_pages), PAGES(4 * MIB));
    assert_int_equal(atomic_load(&region->recent_sizes), 1u << 10);
    assert_int_equal(region->bfc.chunks[chunk].state, HP_BFC_USED);
    assert_int_equal(allocate(region, 10), chunk);
    assert_true(region->bfc.chunks[chunk].dirty);
    assert_int_equal(atomic_load(&region->recent_sizes), 0);
}

static void a_recent_run_is_reused_without_the_core(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t chunk = given_a_run(region, 10);
    hp_region_free(region, chunk);

    assert_null(hp_region_reuse(region, 9).start);
    hp_placed_run run = hp_region_reuse(region, 10);

    assert_ptr_equal(run.start, hp_region_address(region, chunk));
    assert_int_equal(hp_entry_chunk(run.entry), chunk);
    assert_int_equal(hp_entry_region(run.entry), region->number);
    assert_int_equal(atomic_load(&region->free_pages), PAGES(4 * MIB) - 10);
    assert_null(hp_region_reuse(region, 10).start);
}

static void a_claimed_region_reuses_nothing(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    hp_region_free(region, given_a_run(region, 10));
    assert_true(hp_region_claim(region));

    assert_null(hp_region_reuse(region, 10).start);

    hp_region_release(region);
}

static void pages_that_were_never_touched_are_handed_out_after_all_recent_runs(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t low = given_a_run(region, 10);
    uint32_t high = given_a_run(region, 10);
    hp_region_free(region, low);
    hp_region_free(region, high);

    uint32_t chunk = allocate(region, 20);

    assert_int_equal(region->bfc.chunks[chunk].start_page, 0);
    assert_int_equal(hp_bfc_largest_free_pages(&region->bfc), region->bfc.page_count - 20);
    assert_int_equal(region->recent.waiting, 0);
}

static void a_touched_fit_of_the_core_leaves_the_recent_runs_alone(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t first = given_a_run(region, 5);
    given_a_run(region, 1);
    uint32_t second = given_a_run(region, 10);
    given_a_run(region, 1);
    hp_region_free(region, first);
    assert_true(hp_region_claim(region));
    hp_region_settle(region);
    hp_region_release(region);
    hp_region_free(region, second);

    assert_int_equal(region->bfc.chunks[allocate(region, 4)].start_page, 0);

    assert_int_equal(allocate(region, 10), second);
}

static void a_request_that_does_not_fit_puts_recent_runs_together(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t whole = region->bfc.page_count;
    uint32_t low = given_a_run(region, whole / 2);
    uint32_t high = given_a_run(region, whole / 2);
    hp_region_free(region, low);
    hp_region_free(region, high);

    assert_int_not_equal(allocate(region, whole), HP_BFC_NONE);
}

static void a_run_grows_into_a_recent_one(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t low = given_a_run(region, 10);
    uint32_t high = given_a_run(region, 10);
    given_a_run(region, 1);
    hp_region_free(region, high);

    assert_true(hp_region_resize(region, low, 15));

    assert_int_equal(hp_region_chunk_bytes(region, low), 15 * hp_page_bytes());
    assert_false(hp_region_resize(region, low, 21));
}

static void recent_runs_are_purged_and_do_not_keep_the_range(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    hp_region_free(region, given_a_run(region, 10));
    assert_true(hp_region_claim(region));

    assert_true(hp_region_purge(region) >= 10 * hp_page_bytes());

    hp_region_release(region);
    hp_region_free(region, given_a_run(region, 10));
    assert_true(hp_region_claim(region));
    assert_int_equal(hp_region_unmap(region), 4 * MIB);
    hp_region_release(region);
}

static void more_frees_than_places_reach_the_core_and_none_is_lost(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t chunks[5 * HP_RECENT_RUNS];
    for (uint32_t index = 0; index < 5 * HP_RECENT_RUNS; index++) {
        chunks[index] = given_a_run(region, 1 + index % 7);
    }
    for (uint32_t index = 0; index < 5 * HP_RECENT_RUNS; index++) {
        hp_region_free(region, chunks[index]);
    }

    assert_int_equal(atomic_load(&region->free_pages), PAGES(4 * MIB));
    then_all_is_one_free_chunk(region);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_freed_run_comes_back_for_its_size_and_counts_as_free_meanwhile),
        SPEC(a_recent_run_is_reused_without_the_core),
        SPEC(a_claimed_region_reuses_nothing),
        SPEC(pages_that_were_never_touched_are_handed_out_after_all_recent_runs),
        SPEC(a_touched_fit_of_the_core_leaves_the_recent_runs_alone),
        SPEC(a_request_that_does_not_fit_puts_recent_runs_together),
        SPEC(a_run_grows_into_a_recent_one),
        SPEC(recent_runs_are_purged_and_do_not_keep_the_range),
        SPEC(more_frees_than_places_reach_the_core_and_none_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
