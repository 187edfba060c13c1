/*
 * The runs that were freed last: what waits, what comes back, what is pushed out, what the check finds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena/recent.h"
#include "bfc_layout.h"

static hp_recent recent;

/* Used chunks of so many pages each, at[0] first; nothing waits. */
static void given_chunks(size_t count, const int *pages)
{
    given_layout(count, pages);
    memset(&recent, 0, sizeof recent);
}

static uint32_t put(uint32_t chunk)
{
    uint32_t pushed_out = hp_recent_put(&recent, chunk, table[chunk].page_count);
    assert_null(hp_recent_check(&recent, &bfc));
    return pushed_out;
}

static uint32_t take(uint32_t pages, uint32_t align_pages)
{
    uint32_t chunk = hp_recent_take(&recent, &bfc, pages, align_pages);
    assert_null(hp_recent_check(&recent, &bfc));
    return chunk;
}

static void a_run_comes_back_for_exactly_its_size_and_once(void **state)
{
    (void)state;
    given_chunks(LAYOUT(3, 5, 4));
    put(at[1]);

    assert_int_equal(take(4, 1), HP_BFC_NONE);
    assert_int_equal(take(6, 1), HP_BFC_NONE);
    assert_int_equal(take(5, 1), at[1]);
    assert_int_equal(take(5, 1), HP_BFC_NONE);
}

static void a_run_that_is_not_aligned_as_asked_stays(void **state)
{
    (void)state;
    given_chunks(LAYOUT(3, 5, 8, 5));
    put(at[1]);
    put(at[3]);

    assert_int_equal(take(5, 16), at[3]);
    assert_int_equal(take(5, 16), HP_BFC_NONE);
    assert_int_equal(take(5, 1), at[1]);
}

static void sizes_and_sum_are_those_of_what_waits(void **state)
{
    (void)state;
    given_chunks(LAYOUT(2, 66, 7));
    put(at[0]);
    put(at[1]); /* the same bit as 2 pages */
    put(at[2]);
    assert_int_equal(recent.sizes, 1u << 2 | 1u << 7);
    assert_int_equal(recent.page_sum, 75);

    take(2, 1);
    assert_int_equal(recent.sizes, 1u << 2 | 1u << 7);
    take(66, 1);

    assert_int_equal(recent.sizes, 1u << 7);
    assert_int_equal(recent.page_sum, 7);
}

static void when_all_places_are_taken_each_new_run_pushes_out_the_oldest(void **state)
{
    (void)state;
    _Static_assert(HP_RECENT_RUNS == 8, "the layout has three more");
    given_chunks(LAYOUT(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    for (uint32_t index = 0; index < HP_RECENT_RUNS; index++) {
        assert_int_equal(put(at[index]), HP_BFC_NONE);
    }

    assert_int_equal(put(at[8]), at[0]);
    assert_int_equal(put(at[9]), at[1]);
    assert_int_equal(put(at[10]), at[2]);
    assert_int_equal(recent.page_sum, 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11);
}

static void any_run_is_taken_until_none_waits(void **state)
{
    (void)state;
    given_chunks(LAYOUT(1, 2, 3));
    put(at[0]);
    put(at[1]);
    put(at[2]);

    uint32_t pages = 0;
    for (unsigned count = 0; count < 3; count++) {
        pages += table[hp_recent_take_any(&recent)].page_count;
    }

    assert_int_equal(pages, 6);
    assert_int_equal(hp_recent_take_any(&recent), HP_BFC_NONE);
    assert_int_equal(recent.page_sum, 0);
    assert_int_equal(recent.sizes, 0);
}

static void the_check_finds_a_run_that_is_free_of_another_length_or_there_twice(void **state)
{
    (void)state;
    given_chunks(LAYOUT(3, 5, 4));
    put(at[0]);
    recent.pages[0]++;
    assert_non_null(hp_recent_check(&recent, &bfc));
    recent.pages[0]--;

    hp_recent_put(&recent, at[0], 3);
    assert_string_equal(hp_recent_check(&recent, &bfc), "E1: a run waits twice");
    take(3, 1);

    hp_bfc_free(&bfc, at[0], 100);
    assert_non_null(hp_recent_check(&recent, &bfc));
}

static void the_check_finds_a_wrong_sum_and_wrong_sizes(void **state)
{
    (void)state;
    given_chunks(LAYOUT(3, 5, 4));
    put(at[0]);
    recent.page_sum++;
    assert_non_null(hp_recent_check(&recent, &bfc));
    recent.page_sum--;

    recent.sizes |= 1;
    assert_non_null(hp_recent_check(&recent, &bfc));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_comes_back_for_exactly_its_size_and_once),
        cmocka_unit_test(a_run_that_is_not_aligned_as_asked_stays),
        cmocka_unit_test(sizes_and_sum_are_those_of_what_waits),
        cmocka_unit_test(when_all_places_are_taken_each_new_run_pushes_out_the_oldest),
        cmocka_unit_test(any_run_is_taken_until_none_waits),
        cmocka_unit_test(the_check_finds_a_run_that_is_free_of_another_length_or_there_twice),
        cmocka_unit_test(the_check_finds_a_wrong_sum_and_wrong_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
