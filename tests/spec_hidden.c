/*
 * Which free pages core files leave out, and when they come back into them. The kernel's calls are real; what
 * was asked for is counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena/hidden.h"
#include "arena/huge.h"
#include "arena/large.h"
#include "arena/purge.h"
#include "arena_runs.h"
#include "metadata/address_map.h"
#include "support/fake_system.h"

/* Regions are full, so that what a test takes comes from a new one. */
static int setup(void **state)
{
    fake_system_setup(state);
    hp_huge_purge();
    given_full_regions();
    hp_hidden_set(true);
    fake_system_forget();
    return 0;
}

static int teardown(void **state)
{
    hp_hidden_set(false);
    return fake_system_teardown(state);
}

/* Between two pages that stay. */
static hp_run given_a_run_apart(size_t bytes)
{
    given_a_run(hp_page_bytes());
    hp_run run = given_a_run(bytes);
    given_a_run(hp_page_bytes());
    return run;
}

static void settle(const hp_run *run)
{
    assert_true(hp_region_claim(run->region));
    hp_region_settle(run->region);
    hp_region_release(run->region);
}

static void free_into_the_core(const hp_run *run)
{
    give_back(run);
    settle(run);
}

static char *given_a_huge_block(size_t bytes)
{
    bool zeroed;
    char *start = hp_huge_allocate(bytes, 1, &zeroed);
    assert_non_null(start);
    return start;
}

static void free_huge(char *start)
{
    assert_true(hp_large_free(hp_map_get(start), start));
}

static void then_the_last_advice_was_for(const void *start, size_t bytes)
{
    assert_ptr_equal(fake.last_advice.address, start);
    assert_int_equal(fake.last_advice.bytes, bytes);
}

static void a_free_run_is_hidden_once_the_core_has_it(void **state)
{
    (void)state;
    hp_run run = given_a_run_apart(MIB);
    give_back(&run);
    assert_int_equal(fake.hides_asked, 0);

    settle(&run);

    assert_int_equal(fake.hides_asked, 1);
    then_the_last_advice_was_for(run.start, MIB);
}

static void a_run_that_is_handed_out_is_shown(void **state)
{
    (void)state;
    hp_run run = given_a_run_apart(MIB);
    free_into_the_core(&run);

    hp_run again = given_a_run(MIB / 2);

    assert_ptr_equal(again.start, run.start);
    assert_int_equal(fake.shows_asked, 1);
    then_the_last_advice_was_for(run.start, MIB / 2);
}

static void a_run_that_is_used_again_at_once_costs_no_call(void **state)
{
    (void)state;
    hp_run run = given_a_run_apart(MIB);
    give_back(&run);

    hp_run again = given_a_run(MIB);

    assert_ptr_equal(again.start, run.start);
    assert_int_equal(fake.hides_asked + fake.shows_asked, 0);
}

static void short_runs_and_untouched_pages_are_not_hidden(void **state)
{
    (void)state;
    hp_run run = given_a_run_apart(HP_HIDDEN_LEAST_BYTES - hp_page_bytes());
    free_into_the_core(&run);
    given_a_run(MIB);

    assert_int_equal(fake.hides_asked + fake.shows_asked, 0);
}

static void runs_side_by_side_are_hidden_as_one_range(void **state)
{
    (void)state;
    given_a_run(hp_page_bytes());
    hp_run low = given_a_run(MIB / 2);
    hp_run high = given_a_run(hp_page_bytes());
    given_a_run(hp_page_bytes());
    free_into_the_core(&low);

    free_into_the_core(&high);

    then_the_last_advice_was_for(low.start, MIB / 2 + hp_page_bytes());
    assert_int_equal(low.region->bfc.hidden_chunks, 1);
}

static void a_run_that_grows_is_shown(void **state)
{
    (void)state;
    hp_run low = given_a_run(MIB / 2);
    hp_run high = given_a_run(MIB / 2);
    given_a_run(hp_page_bytes());
    free_into_the_core(&high);

    assert_true(hp_region_resize(low.region, low.chunk, 2 * hp_pages_of(MIB / 2)));

    assert_int_equal(fake.shows_asked, 1);
    then_the_last_advice_was_for(low.start, MIB);
}

static void the_tail_of_a_run_that_shrinks_is_hidden(void **state)
{
    (void)state;
    hp_run run = given_a_run_apart(MIB);

    assert_true(hp_region_resize(run.region, run.chunk, hp_pages_of(MIB / 2)));

    assert_int_equal(fake.hides_asked, 1);
    then_the_last_advice_was_for(run.start + MIB / 2, MIB / 2);
}

static void what_goes_back_to_the_system_stays_hidden_without_a_call(void **state)
{
    (void)state;
    hp_run run = given_a_run_apart(MIB);
    free_into_the_core(&run);
    bool remains = false;

    assert_int_equal(hp_purge_regions(UINT64_MAX, (uint32_t)fake.now_ms, 0, &remains),
                     hp_pages_of(MIB));

    assert_int_equal(fake.hides_asked, 1);
    given_a_run(MIB);
    assert_int_equal(fake.shows_asked, 1);
}

static void what_the_kernel_refuses_to_hide_is_tried_again_with_the_next_run(void **state)
{
    (void)state;
    given_a_run(hp_page_bytes());
    hp_run low = given_a_run(MIB / 2);
    hp_run high = given_a_run(MIB / 2);
    given_a_run(hp_page_bytes());
    fake.refuse_dump = true;
    free_into_the_core(&low);
    fake.refuse_dump = false;

    free_into_the_core(&high);

    assert_int_equal(fake.hides_asked, 2);
    then_the_last_advice_was_for(low.start, MIB);
}

static void a_kept_mapping_is_hidden_and_shown_when_it_serves_again(void **state)
{
    (void)state;
    char *block = given_a_huge_block(8 * MIB);
    free_huge(block);
    assert_int_equal(fake.hides_asked, 1);
    then_the_last_advice_was_for(block, 8 * MIB);

    assert_ptr_equal(given_a_huge_block(8 * MIB), block);

    assert_int_equal(fake.shows_asked, 1);
    then_the_last_advice_was_for(block, 8 * MIB);
}

static void no_more_chunks_are_hidden_than_the_bound(void **state)
{
    (void)state;
    enum { RUNS = HP_HIDDEN_MOST_CHUNKS + 1000 };
    static hp_run runs[RUNS];
    for (unsigned index = 0; index < RUNS; index++) {
        runs[index] = given_a_run(HP_HIDDEN_LEAST_BYTES);
        given_a_run(hp_page_bytes());
    }
    for (unsigned index = 0; index < RUNS; index++) {
        give_back(&runs[index]);
    }
    hp_purge_settle();

    uint32_t hidden = 0;
    for (unsigned number = 0; number < region_count(); number++) {
        hidden += hp_arena_region(number)->bfc.hidden_chunks;
    }
    assert_in_range(hidden, HP_HIDDEN_MOST_CHUNKS, HP_HIDDEN_MOST_CHUNKS + HP_RECENT_RUNS);
    assert_true(hp_arena_purge() > 0);
}

static void unless_it_is_wanted_no_call_is_made(void **state)
{
    (void)state;
    hp_hidden_set(false);
    hp_run run = given_a_run_apart(MIB);
    free_into_the_core(&run);
    given_a_run(MIB);
    free_huge(given_a_huge_block(8 * MIB));

    assert_int_equal(fake.hides_asked + fake.shows_asked, 0);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_free_run_is_hidden_once_the_core_has_it),
        SPEC(a_run_that_is_handed_out_is_shown),
        SPEC(a_run_that_is_used_again_at_once_costs_no_call),
        SPEC(short_runs_and_untouched_pages_are_not_hidden),
        SPEC(runs_side_by_side_are_hidden_as_one_range),
        SPEC(a_run_that_grows_is_shown),
        SPEC(the_tail_of_a_run_that_shrinks_is_hidden),
        SPEC(what_goes_back_to_the_system_stays_hidden_without_a_call),
        SPEC(what_the_kernel_refuses_to_hide_is_tried_again_with_the_next_run),
        SPEC(a_kept_mapping_is_hidden_and_shown_when_it_serves_again),
        SPEC(unless_it_is_wanted_no_call_is_made),
        SPEC(no_more_chunks_are_hidden_than_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
