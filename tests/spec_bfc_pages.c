/* What the BFC core knows about the pages of a chunk; chunks that change their size in place. */
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
    assert_int_equal(bfc.touched_end_page, 8);
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

static void a_clean_chunk_that_merges_with_a_dirty_one_becomes_dirty(void **state)
{
    (void)state;
    given_pages(9);
    uint32_t first = hp_bfc_allocate(&bfc, 1, 1);
    hp_bfc_allocate(&bfc, 5, 4); /* skips pages 1 to 3: clean */

    hp_bfc_free(&bfc, first, 100);
    then_layout(LAYOUT(-4, 5));
    assert_true(table[hp_bfc_allocate(&bfc, 4, 1)].dirty);
}

static void beyond_the_last_page_ever_handed_out_a_dirty_chunk_comes_clean(void **state)
{
    (void)state;
    given_pages(100);
    hp_bfc_free(&bfc, hp_bfc_allocate(&bfc, 10, 1), 100);
    then_layout(LAYOUT(-100));

    assert_true(table[hp_bfc_allocate(&bfc, 9, 1)].dirty);
    assert_true(table[hp_bfc_allocate(&bfc, 2, 1)].dirty);
    assert_false(table[hp_bfc_allocate(&bfc, 9, 1)].dirty);
    assert_int_equal(bfc.touched_end_page, 20);
}

static void a_remainder_beyond_the_last_page_ever_handed_out_is_clean(void **state)
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

/* ---- age ---- */

static void a_merged_chunk_has_the_age_of_its_youngest_part(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, 2, 2, 2, 1));
    hp_bfc_free(&bfc, at[1], 500);
    hp_bfc_free(&bfc, at[3], 700);
    hp_bfc_free(&bfc, at[2], 600);

    then_layout(LAYOUT(1, -6, 1));
    assert_int_equal(table[table[0].next].freed_at_ms, 700);
}

static void the_age_survives_the_wrap_of_the_clock(void **state)
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

/* ---- requested size ---- */

static void the_requested_size_is_kept_while_the_chunk_is_used(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, 4, -4, 1));
    assert_int_equal(table[at[1]].requested_bytes, 0);
    table[at[1]].requested_bytes = 12345;

    assert_true(hp_bfc_extend(&bfc, at[1], 6));
    hp_bfc_shrink(&bfc, at[1], 4, 100);
    assert_int_equal(table[at[1]].requested_bytes, 12345);

    hp_bfc_free(&bfc, at[1], 100);
    assert_int_equal(table[hp_bfc_allocate(&bfc, 8, 1)].requested_bytes, 0);
}

/* ---- extend ---- */

static void a_chunk_grows_into_a_free_right_neighbour(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, 4, -5, 1));

    assert_true(hp_bfc_extend(&bfc, at[1], 7));
    then_layout(LAYOUT(1, 7, -2, 1));
    assert_int_equal(bfc.free_pages, 2);
}

static void a_chunk_grows_over_the_whole_of_its_neighbour(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, 4, -5, 1));

    assert_true(hp_bfc_extend(&bfc, at[1], 9));
    then_layout(LAYOUT(1, 9, 1));
    assert_int_equal(bfc.free_pages, 0);
}

static void a_chunk_does_not_grow_where_the_neighbour_is_too_small_or_used_or_missing(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, 4, -5, 1));

    assert_false(hp_bfc_extend(&bfc, at[1], 10));
    assert_false(hp_bfc_extend(&bfc, at[3], 2));
    assert_false(hp_bfc_extend(&bfc, at[1], UINT32_MAX));
    assert_true(hp_bfc_extend(&bfc, at[0], 1));
    assert_false(hp_bfc_extend(&bfc, at[0], 2));
    then_layout(LAYOUT(1, 4, -5, 1));
}

static void a_chunk_that_grows_over_dirty_pages_becomes_dirty(void **state)
{
    (void)state;
    given_pages(10);
    uint32_t chunk = hp_bfc_allocate(&bfc, 2, 1);
    hp_bfc_free(&bfc, hp_bfc_allocate(&bfc, 2, 1), 100);
    assert_false(table[chunk].dirty);

    assert_true(hp_bfc_extend(&bfc, chunk, 3));
    assert_true(table[chunk].dirty);
}

static void a_chunk_that_grows_over_clean_pages_stays_clean(void **state)
{
    (void)state;
    given_pages(10);
    uint32_t chunk = hp_bfc_allocate(&bfc, 2, 1);

    assert_true(hp_bfc_extend(&bfc, chunk, 6));
    assert_false(table[chunk].dirty);
    assert_int_equal(bfc.touched_end_page, 6);
    then_layout(LAYOUT(6, -4));
}

/* ---- shrink ---- */

static void a_chunk_gives_back_its_tail(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, 8, 1));

    hp_bfc_shrink(&bfc, at[1], 3, 900);
    then_layout(LAYOUT(1, 3, -5, 1));
    assert_int_equal(bfc.free_pages, 5);
    const hp_bfc_chunk *tail = &table[table[at[1]].next];
    assert_true(tail->dirty);
    assert_int_equal(tail->freed_at_ms, 900);
}

static void the_tail_merges_with_a_free_right_neighbour(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, 8, -2, 1));

    hp_bfc_shrink(&bfc, at[1], 3, 900);
    then_layout(LAYOUT(1, 3, -7, 1));
}

static void a_shrink_to_the_same_size_changes_nothing(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, 8, -2, 1));

    hp_bfc_shrink(&bfc, at[1], 8, 900);
    then_layout(LAYOUT(1, 8, -2, 1));
}

static void a_core_without_pages_is_sound_and_has_nothing_to_give(void **state)
{
    (void)state;
    given_layout(LAYOUT(1, -8, 2));

    hp_bfc_init_empty(&bfc);

    assert_null(hp_bfc_check(&bfc));
    assert_int_equal(hp_bfc_largest_free_pages(&bfc), 0);
    assert_int_equal(hp_bfc_allocate(&bfc, 1, 1), HP_BFC_NONE);
    assert_int_equal(hp_bfc_allocate(&bfc, 1, 16), HP_BFC_NONE);
}

static void untouched_pages_come_from_behind_all_that_was_handed_out(void **state)
{
    (void)state;
    given_pages(100);
    uint32_t low = hp_bfc_allocate(&bfc, 10, 1);
    assert_false(hp_bfc_is_touched(&bfc, hp_bfc_find(&bfc, 4, 1), 4, 1));
    hp_bfc_free(&bfc, low, 100);
    assert_true(hp_bfc_is_touched(&bfc, hp_bfc_find(&bfc, 4, 1), 4, 1));
    uint32_t chunk = hp_bfc_allocate_untouched(&bfc, 4, 8);

    then_start_is(chunk, 16);
    assert_false(table[chunk].dirty);
    then_layout(LAYOUT(-16, 4, -80));
    assert_int_equal(hp_bfc_allocate_untouched(&bfc, 81, 1), HP_BFC_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(untouched_pages_come_from_behind_all_that_was_handed_out),
        cmocka_unit_test(pages_that_were_never_handed_out_come_clean),
        cmocka_unit_test(pages_that_were_freed_come_dirty),
        cmocka_unit_test(both_parts_of_a_split_dirty_chunk_are_dirty),
        cmocka_unit_test(a_clean_chunk_that_merges_with_a_dirty_one_becomes_dirty),
        cmocka_unit_test(beyond_the_last_page_ever_handed_out_a_dirty_chunk_comes_clean),
        cmocka_unit_test(a_remainder_beyond_the_last_page_ever_handed_out_is_clean),
        cmocka_unit_test(a_free_chunk_that_was_given_back_to_the_system_comes_clean),
        cmocka_unit_test(a_merged_chunk_has_the_age_of_its_youngest_part),
        cmocka_unit_test(the_age_survives_the_wrap_of_the_clock),
        cmocka_unit_test(the_age_of_clean_pages_does_not_count),
        cmocka_unit_test(a_remainder_keeps_its_age),
        cmocka_unit_test(the_requested_size_is_kept_while_the_chunk_is_used),
        cmocka_unit_test(a_chunk_grows_into_a_free_right_neighbour),
        cmocka_unit_test(a_chunk_grows_over_the_whole_of_its_neighbour),
        cmocka_unit_test(a_chunk_does_not_grow_where_the_neighbour_is_too_small_or_used_or_missing),
        cmocka_unit_test(a_chunk_that_grows_over_dirty_pages_becomes_dirty),
        cmocka_unit_test(a_chunk_that_grows_over_clean_pages_stays_clean),
        cmocka_unit_test(a_chunk_gives_back_its_tail),
        cmocka_unit_test(the_tail_merges_with_a_free_right_neighbour),
        cmocka_unit_test(a_shrink_to_the_same_size_changes_nothing),
        cmocka_unit_test(a_core_without_pages_is_sound_and_has_nothing_to_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
