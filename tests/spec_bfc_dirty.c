/* Which pages of a free chunk may hold data, since when, and how they are given back to the system. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bfc_layout.h"

/* ---- dirty and clean ---- */

static void pages_that_were_never_handed_out_come_clean(void **state)
{
    (void)state;
    given_pages(10);

    assert_false(table[hp_bfc_allocate(&bfc, 4, 1)].dirty);
    assert_false(table[hp_bfc_allocate(&bfc, 4, 1)].dirty);
}

static void pages_that_were_freed_come_dirty(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -4, 1));

    assert_true(table[hp_bfc_allocate(&bfc, 4, 1)].dirty);
}

static void both_parts_of_a_split_dirty_chunk_are_dirty(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -4, 1));

    assert_true(table[hp_bfc_allocate(&bfc, 2, 1)].dirty);
    assert_true(table[hp_bfc_allocate(&bfc, 2, 1)].dirty);
}

static void a_clean_chunk_that_merges_with_a_dirty_one_is_dirty_where_that_was(void **state)
{
    (void)state;
    given_pages(9);
    uint32_t first = hp_bfc_allocate(&bfc, 1, 1);
    hp_bfc_allocate(&bfc, 5, 4); /* skips pages 1 to 3: clean */

    hp_bfc_free(&bfc, first, 100);
    then_layout(LAYOUT(-4, 5));
    assert_int_equal(bfc.dirty_pages, 1);
    assert_true(table[hp_bfc_allocate(&bfc, 4, 1)].dirty);
    assert_int_equal(bfc.dirty_pages, 0);
}

static void clean_pages_between_dirty_ones_count_as_dirty(void **state)
{
    (void)state;
    given_layout(LAYOUT(2, -3, 2));
    hp_bfc_mark_clean(&bfc, table[at[0]].next);

    hp_bfc_free(&bfc, at[0], 100);
    assert_int_equal(bfc.dirty_pages, 2);
    hp_bfc_free(&bfc, at[2], 100);

    assert_int_equal(bfc.dirty_pages, 7);
    assert_null(hp_bfc_check(&bfc));
}

static void beyond_the_last_dirty_page_a_dirty_chunk_comes_clean(void **state)
{
    (void)state;
    given_pages(100);
    hp_bfc_free(&bfc, hp_bfc_allocate(&bfc, 10, 1), 100);
    then_layout(LAYOUT(-100));

    assert_true(table[hp_bfc_allocate(&bfc, 9, 1)].dirty);
    assert_true(table[hp_bfc_allocate(&bfc, 2, 1)].dirty);
    assert_false(table[hp_bfc_allocate(&bfc, 9, 1)].dirty);
}

static void a_remainder_beyond_the_last_dirty_page_is_clean(void **state)
{
    (void)state;
    given_pages(100);
    hp_bfc_free(&bfc, hp_bfc_allocate(&bfc, 10, 1), 100);

    uint32_t chunk = hp_bfc_allocate(&bfc, 10, 1);
    assert_false(table[table[chunk].next].dirty);
}

static void a_free_chunk_that_was_given_back_to_the_system_comes_clean(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -4, 1, -4, 1));

    hp_bfc_mark_clean(&bfc, at[1]);
    assert_null(hp_bfc_check(&bfc));
    const hp_bfc_chunk *still_dirty = &table[hp_bfc_allocate(&bfc, 4, 1)];
    assert_int_equal(still_dirty->start_page, 6);
    assert_true(still_dirty->dirty);
    assert_false(table[hp_bfc_allocate(&bfc, 4, 1)].dirty);
}

/* ---- giving back to the system ---- */

static void the_upper_dirty_pages_are_taken_out_and_come_back_clean(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -8, 1));

    uint32_t taken = hp_bfc_take_dirty(&bfc, table[at[0]].next, 5);
    then_layout(LAYOUT(1, -3, 5, 1));
    assert_int_equal(bfc.dirty_pages, 3);
    table[taken].given_back = true;
    hp_bfc_free(&bfc, taken, 200);

    then_layout(LAYOUT(1, -8, 1));
    assert_int_equal(bfc.dirty_pages, 3);
    assert_int_equal(table[table[at[0]].next].freed_at_ms, 100);
}

static void no_more_is_taken_out_than_is_dirty_and_what_lies_above_stays(void **state)
{
    (void)state;
    given_pages(20);
    hp_bfc_free(&bfc, hp_bfc_allocate(&bfc, 8, 1), 100);
    then_layout(LAYOUT(-20));

    hp_bfc_take_dirty(&bfc, 0, 100);

    then_layout(LAYOUT(8, -12));
    assert_int_equal(bfc.dirty_pages, 0);
}

static void what_was_given_back_is_dirty_after_its_next_use(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -8, 1));
    uint32_t taken = hp_bfc_take_dirty(&bfc, table[at[0]].next, 8);
    table[taken].given_back = true;
    hp_bfc_free(&bfc, taken, 200);

    uint32_t chunk = hp_bfc_allocate(&bfc, 8, 1);
    assert_false(table[chunk].dirty);
    hp_bfc_free(&bfc, chunk, 300);

    assert_int_equal(bfc.dirty_pages, 8);
}

/* ---- age ---- */

static void a_merged_chunk_has_the_age_of_its_larger_part(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, 2, 2, 6, 1));
    hp_bfc_free(&bfc, at[1], 500);
    hp_bfc_free(&bfc, at[3], 700);
    hp_bfc_free(&bfc, at[2], 800);

    then_layout(LAYOUT(1, -10, 1));
    assert_int_equal(table[table[0].next].freed_at_ms, 700);
}

static void a_part_that_comes_and_goes_does_not_keep_a_large_chunk_young(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -100, 1));

    for (uint32_t now_ms = 101; now_ms < 1000; now_ms++) {
        hp_bfc_free(&bfc, hp_bfc_allocate(&bfc, 40, 1), now_ms);
    }

    assert_int_equal(table[table[at[0]].next].freed_at_ms, 100);
}

static void of_two_equal_parts_the_younger_counts_also_when_the_clock_wraps(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, 2, 2, 1));
    hp_bfc_free(&bfc, at[1], UINT32_MAX - 10);
    hp_bfc_free(&bfc, at[2], 5);

    assert_int_equal(table[table[0].next].freed_at_ms, 5);
}

static void the_age_of_clean_pages_does_not_count(void **state)
{
    (void)state;
    given_pages(10);
    uint32_t late_ms = UINT32_C(1) << 31 | 1; /* older than the clean chunk's 0 if compared */

    hp_bfc_free(&bfc, hp_bfc_allocate(&bfc, 4, 1), late_ms);
    then_layout(LAYOUT(-10));
    assert_int_equal(table[0].freed_at_ms, late_ms);
}

static void a_remainder_keeps_its_age(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, 8, 1));
    hp_bfc_free(&bfc, at[1], 777);

    uint32_t chunk = hp_bfc_allocate(&bfc, 3, 2);
    then_layout(LAYOUT(1, -1, 3, -4, 1));
    assert_int_equal(table[table[chunk].previous].freed_at_ms, 777);
    assert_int_equal(table[table[chunk].next].freed_at_ms, 777);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_that_were_never_handed_out_come_clean),
        cmocka_unit_test(pages_that_were_freed_come_dirty),
        cmocka_unit_test(both_parts_of_a_split_dirty_chunk_are_dirty),
        cmocka_unit_test(a_clean_chunk_that_merges_with_a_dirty_one_is_dirty_where_that_was),
        cmocka_unit_test(clean_pages_between_dirty_ones_count_as_dirty),
        cmocka_unit_test(beyond_the_last_dirty_page_a_dirty_chunk_comes_clean),
        cmocka_unit_test(a_remainder_beyond_the_last_dirty_page_is_clean),
        cmocka_unit_test(a_free_chunk_that_was_given_back_to_the_system_comes_clean),
        cmocka_unit_test(the_upper_dirty_pages_are_taken_out_and_come_back_clean),
        cmocka_unit_test(no_more_is_taken_out_than_is_dirty_and_what_lies_above_stays),
        cmocka_unit_test(what_was_given_back_is_dirty_after_its_next_use),
        cmocka_unit_test(a_merged_chunk_has_the_age_of_its_larger_part),
        cmocka_unit_test(a_part_that_comes_and_goes_does_not_keep_a_large_chunk_young),
        cmocka_unit_test(of_two_equal_parts_the_younger_counts_also_when_the_clock_wraps),
        cmocka_unit_test(the_age_of_clean_pages_does_not_count),
        cmocka_unit_test(a_remainder_keeps_its_age),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
