/*
 * The rules of the BFC core: fit, alignment, split, merge. Further rules: spec_bfc_pages.c (dirt,
 * age, chunks that change their size), spec_bfc_tree.c (bins), spec_bfc_check.c (the check),
 * spec_bfc_trace.c (random traces).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bfc_layout.h"

/* ---- best fit ---- */

static void a_new_range_is_one_free_clean_chunk(void **state)
{
    (void)state;
    given_pages(100);

    then_layout(LAYOUT(-100));
    assert_false(table[0].dirty);
    assert_int_equal(bfc.free_pages, 100);
    assert_int_equal(bfc.record_count, 1);
}

static void the_smallest_chunk_that_holds_the_request_is_taken(void **state)
{
    (void)state;
    given_layout(LAYOUT(-9, 1, -4, 1, -6, 1, -5, 1));

    then_start_is(hp_bfc_allocate(&bfc, 5, 1), 22);
    then_start_is(hp_bfc_allocate(&bfc, 5, 1), 15);
    then_start_is(hp_bfc_allocate(&bfc, 5, 1), 0);
}

static void too_small_chunks_of_the_same_bin_are_passed_over(void **state)
{
    (void)state;
    given_layout(LAYOUT(-65, 1, -72, 1, -70, 1, -66, 1, -71, 1));

    then_start_is(hp_bfc_allocate(&bfc, 69, 1), 139);
    then_start_is(hp_bfc_allocate(&bfc, 69, 1), 277);
    then_start_is(hp_bfc_allocate(&bfc, 69, 1), 66);
}

static void a_bin_without_a_fit_passes_the_request_on_to_the_next_that_is_not_empty(void **state)
{
    (void)state;
    given_layout(LAYOUT(-66, 1, -1000, 1, -900, 1));

    then_start_is(hp_bfc_allocate(&bfc, 70, 1), 1068);
}

static void of_equal_dirty_chunks_the_lowest_address_goes_first(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -3, 1, -3, 1, -3, 1));

    then_start_is(hp_bfc_allocate(&bfc, 3, 1), 1);
    then_start_is(hp_bfc_allocate(&bfc, 3, 1), 5);
    then_start_is(hp_bfc_allocate(&bfc, 3, 1), 9);
}

static void of_equal_chunks_a_dirty_one_goes_before_a_clean_one_at_a_lower_address(void **state)
{
    (void)state;
    given_pages(9);
    hp_bfc_allocate(&bfc, 1, 1);
    hp_bfc_allocate(&bfc, 1, 4);                              /* skips pages 1 to 3: clean */
    hp_bfc_shrink(&bfc, hp_bfc_allocate(&bfc, 4, 1), 1, 100); /* gives back 6 to 8: dirty */
    then_layout(LAYOUT(1, -3, 1, 1, -3));

    then_start_is(hp_bfc_allocate(&bfc, 3, 1), 6);
    then_start_is(hp_bfc_allocate(&bfc, 3, 1), 1);
}

static void what_cannot_be_served_changes_nothing(void **state)
{
    (void)state;
    given_layout(LAYOUT(-9, 1, -9, 1));

    assert_int_equal(hp_bfc_allocate(&bfc, 10, 1), HP_BFC_NONE);
    assert_int_equal(hp_bfc_allocate(&bfc, UINT32_MAX, UINT32_C(1) << 31), HP_BFC_NONE);
    assert_int_equal(hp_bfc_allocate(&bfc, 0, 1), HP_BFC_NONE);
    then_layout(LAYOUT(-9, 1, -9, 1));
    assert_int_equal(bfc.free_pages, 18);
}

static void a_range_of_the_largest_size_is_managed_to_its_last_page(void **state)
{
    (void)state;
    given_pages(HP_BFC_MAX_PAGES);
    uint32_t low = hp_bfc_allocate(&bfc, HP_BFC_MAX_PAGES - 1, 1);
    uint32_t last = hp_bfc_allocate(&bfc, 1, 1);
    then_start_is(last, HP_BFC_MAX_PAGES - 1);
    assert_int_equal(hp_bfc_allocate(&bfc, 1, 1), HP_BFC_NONE);

    hp_bfc_free(&bfc, last, 100);
    hp_bfc_free(&bfc, low, 100);
    assert_int_equal(hp_bfc_largest_free_pages(&bfc), HP_BFC_MAX_PAGES);
    assert_null(hp_bfc_check(&bfc));
}

/* ---- alignment ---- */

static void what_alignment_cuts_off_stays_free_on_both_sides(void **state)
{
    (void)state;
    given_layout(LAYOUT(3, -20, 1));

    then_start_is(hp_bfc_allocate(&bfc, 4, 8), 8);
    then_layout(LAYOUT(3, -5, 4, -11, 1));
    assert_int_equal(bfc.free_pages, 16);
}

static void an_exact_fit_that_is_aligned_already_is_taken_whole(void **state)
{
    (void)state;
    given_layout(LAYOUT(-30, 2, -16, 1));

    then_start_is(hp_bfc_allocate(&bfc, 16, 16), 32);
    then_layout(LAYOUT(-30, 2, 16, 1));
}

static void a_best_fit_without_an_aligned_run_leaves_it_to_the_next_ones(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -4, 1, -5, 5, -4, 1, -50, 1));

    then_start_is(hp_bfc_allocate(&bfc, 4, 8), 16);
}

static void after_a_bounded_number_of_tries_the_chunk_that_is_sure_to_do_is_taken(void **state)
{
    (void)state;
    /* All four of 4 pages are out of line; the one of 5 would do, but is the fifth. */
    _Static_assert(HP_BFC_ALIGNED_TRIES == 4, "the layout has as many chunks that do not do");
    given_layout(LAYOUT(1, -4, 1, -4, 1, -4, 2, -4, 3, -5, 3, -11, 1));

    then_start_is(hp_bfc_allocate(&bfc, 4, 8), 32);
    assert_int_equal(hp_bfc_allocate(&bfc, 4, UINT32_C(1) << 31), HP_BFC_NONE);
}

static void an_aligned_request_fails_when_no_chunk_holds_an_aligned_run(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -10, 1));

    assert_int_equal(hp_bfc_allocate(&bfc, 4, 8), HP_BFC_NONE);
    then_layout(LAYOUT(1, -10, 1));
}

/* ---- split ---- */

static void by_default_even_one_page_is_split_off(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -9, 1));

    hp_bfc_allocate(&bfc, 8, 1);
    then_layout(LAYOUT(1, 8, -1, 1));
}

static void a_remainder_below_the_threshold_stays_with_the_chunk(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -19, 1));
    bfc.split_remainder_pages = 10;

    uint32_t chunk = hp_bfc_allocate(&bfc, 10, 1);
    then_layout(LAYOUT(1, 19, 1));
    assert_int_equal(bfc.free_pages, 0);
    hp_bfc_free(&bfc, chunk, 100);
    then_layout(LAYOUT(1, -19, 1));
}

static void a_remainder_at_the_threshold_is_split_off(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -30, 1));
    bfc.split_remainder_pages = 10;

    hp_bfc_allocate(&bfc, 20, 1);
    then_layout(LAYOUT(1, 20, -10, 1));
}

static void a_chunk_of_twice_the_request_is_split_below_the_threshold(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -8, 1, -7, 1));
    bfc.split_remainder_pages = 10;

    hp_bfc_allocate(&bfc, 4, 1);
    then_layout(LAYOUT(1, -8, 1, 7, 1));
    hp_bfc_allocate(&bfc, 4, 1);
    then_layout(LAYOUT(1, 4, -4, 1, 7, 1));
}

/* ---- free and merge ---- */

static void a_freed_chunk_between_used_ones_stays_alone(void **state)
{
    (void)state;
    given_layout(LAYOUT(2, 3, 4));

    hp_bfc_free(&bfc, at[1], 100);
    then_layout(LAYOUT(2, -3, 4));
    assert_int_equal(bfc.free_pages, 3);
}

static void a_freed_chunk_merges_with_a_free_left_neighbour(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -2, 3, 4));

    hp_bfc_free(&bfc, at[2], 100);
    then_layout(LAYOUT(1, -5, 4));
}

static void a_freed_chunk_merges_with_a_free_right_neighbour(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, 2, -3, 4));

    hp_bfc_free(&bfc, at[1], 100);
    then_layout(LAYOUT(1, -5, 4));
}

static void a_freed_chunk_merges_with_both_free_neighbours(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -2, 3, -4, 5));

    hp_bfc_free(&bfc, at[2], 100);
    then_layout(LAYOUT(1, -9, 5));
    assert_int_equal(bfc.free_pages, 9);
}

static void records_of_merged_chunks_serve_again(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, 2, 3, 4, 5));
    for (int round = 0; round < 10; round++) {
        hp_bfc_free(&bfc, at[1], 100);
        hp_bfc_free(&bfc, at[3], 100);
        hp_bfc_free(&bfc, at[2], 100);
        at[1] = hp_bfc_allocate(&bfc, 2, 1);
        at[2] = hp_bfc_allocate(&bfc, 3, 1);
        at[3] = hp_bfc_allocate(&bfc, 4, 1);
    }

    then_layout(LAYOUT(1, 2, 3, 4, 5));
    assert_int_equal(bfc.record_count, 5);
}

static void a_range_of_single_pages_fills_its_table_and_no_more(void **state)
{
    (void)state;
    given_pages(1000);
    table[1000].requested_bytes = 12345;
    for (uint32_t page = 0; page < 1000; page++) {
        then_start_is(hp_bfc_allocate(&bfc, 1, 1), page);
    }

    assert_int_equal(hp_bfc_allocate(&bfc, 1, 1), HP_BFC_NONE);
    assert_int_equal(bfc.record_count * sizeof(hp_bfc_chunk), hp_bfc_table_bytes(1000));
    assert_int_equal(table[1000].requested_bytes, 12345);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_range_is_one_free_clean_chunk),
        cmocka_unit_test(the_smallest_chunk_that_holds_the_request_is_taken),
        cmocka_unit_test(too_small_chunks_of_the_same_bin_are_passed_over),
        cmocka_unit_test(a_bin_without_a_fit_passes_the_request_on_to_the_next_that_is_not_empty),
        cmocka_unit_test(of_equal_dirty_chunks_the_lowest_address_goes_first),
        cmocka_unit_test(of_equal_chunks_a_dirty_one_goes_before_a_clean_one_at_a_lower_address),
        cmocka_unit_test(what_cannot_be_served_changes_nothing),
        cmocka_unit_test(a_range_of_the_largest_size_is_managed_to_its_last_page),
        cmocka_unit_test(what_alignment_cuts_off_stays_free_on_both_sides),
        cmocka_unit_test(an_exact_fit_that_is_aligned_already_is_taken_whole),
        cmocka_unit_test(a_best_fit_without_an_aligned_run_leaves_it_to_the_next_ones),
        cmocka_unit_test(after_a_bounded_number_of_tries_the_chunk_that_is_sure_to_do_is_taken),
        cmocka_unit_test(an_aligned_request_fails_when_no_chunk_holds_an_aligned_run),
        cmocka_unit_test(by_default_even_one_page_is_split_off),
        cmocka_unit_test(a_remainder_below_the_threshold_stays_with_the_chunk),
        cmocka_unit_test(a_remainder_at_the_threshold_is_split_off),
        cmocka_unit_test(a_chunk_of_twice_the_request_is_split_below_the_threshold),
        cmocka_unit_test(a_freed_chunk_between_used_ones_stays_alone),
        cmocka_unit_test(a_freed_chunk_merges_with_a_free_left_neighbour),
        cmocka_unit_test(a_freed_chunk_merges_with_a_free_right_neighbour),
        cmocka_unit_test(a_freed_chunk_merges_with_both_free_neighbours),
        cmocka_unit_test(records_of_merged_chunks_serve_again),
        cmocka_unit_test(a_range_of_single_pages_fills_its_table_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
