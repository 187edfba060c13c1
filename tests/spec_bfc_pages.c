/* Chunks that change their size in place, and what the BFC core keeps for its caller. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bfc_layout.h"

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

static void untouched_pages_come_from_behind_all_that_has_memory(void **state)
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
        cmocka_unit_test(untouched_pages_come_from_behind_all_that_has_memory),
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
