/* hp_bfc_check has to notice every broken invariant and to name it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bfc_layout.h"

static void then_check_says(const char *rule)
{
    const char *broken = hp_bfc_check(&bfc);
    assert_non_null(broken);
    assert_memory_equal(broken, rule, strlen(rule));
}

/* Positions 0, 2, 4, 6 are used; 1, 3, 5 are free and one tree, 3 its root; a record is spare. */
static void given_a_range_to_break(void)
{
    given_layout(LAYOUT(3, -3, 3, -3, 1, -3, 1, 1));
    hp_bfc_free(&bfc, at[7], 100);
    assert_true(hp_bfc_extend(&bfc, at[6], 2));
    assert_null(hp_bfc_check(&bfc));
    assert_int_equal(bfc.bin_root[2], at[3]);
    assert_int_equal(table[at[3]].left, at[1]);
    assert_int_equal(table[at[3]].right, at[5]);
    assert_int_not_equal(bfc.first_spare, HP_BFC_NONE);
}

static void check_notices_a_gap_and_an_overlap(void **state)
{
    (void)state;
    given_a_range_to_break();
    table[at[2]].start_page++;
    then_check_says("B1");

    given_a_range_to_break();
    table[at[6]].page_count--;
    then_check_says("B1");

    given_a_range_to_break();
    table[at[0]].page_count = 0;
    then_check_says("B1");
}

static void check_notices_neighbours_that_disagree(void **state)
{
    (void)state;
    given_a_range_to_break();
    table[at[4]].previous = at[2];
    then_check_says("B1");

    given_a_range_to_break();
    table[at[4]].next = at[2];
    then_check_says("B1");

    given_a_range_to_break();
    table[at[4]].next = bfc.record_count;
    then_check_says("B1");
}

static void check_notices_a_lost_or_doubled_spare_record(void **state)
{
    (void)state;
    given_a_range_to_break();
    bfc.first_spare = HP_BFC_NONE;
    then_check_says("B1");

    given_a_range_to_break();
    table[bfc.first_spare].left = bfc.first_spare;
    then_check_says("B1");

    given_a_range_to_break();
    bfc.first_spare = at[2];
    then_check_says("B1");

    given_a_range_to_break();
    table[at[2]].state = HP_BFC_SPARE;
    then_check_says("B1");
}

static void check_notices_two_free_neighbours(void **state)
{
    (void)state;
    given_a_range_to_break();

    table[at[4]].state = HP_BFC_FREE;
    then_check_says("B2");
}

static void check_notices_a_used_chunk_in_a_tree(void **state)
{
    (void)state;
    given_a_range_to_break();
    bfc.bin_root[2] = at[2];
    then_check_says("B3");

    given_a_range_to_break();
    table[at[1]].left = at[2];
    then_check_says("B3");
}

static void check_notices_a_free_chunk_in_no_tree(void **state)
{
    (void)state;
    given_a_range_to_break();

    table[at[3]].left = HP_BFC_NONE;
    then_check_says("B3");
}

static void check_notices_a_free_chunk_in_the_tree_of_another_bin(void **state)
{
    (void)state;
    given_a_range_to_break();

    bfc.bin_root[5] = bfc.bin_root[2];
    bfc.bin_bitmap[0] |= 1 << 5;
    then_check_says("B3");
}

static void check_notices_a_chunk_that_hangs_in_a_tree_twice(void **state)
{
    (void)state;
    given_a_range_to_break();

    /* One of the two leaves may hang below the other without breaking the heap. */
    table[at[1]].right = at[5];
    const char *broken = hp_bfc_check(&bfc);
    assert_non_null(broken);
    if (strncmp(broken, "B5", 2) == 0) {
        table[at[1]].right = HP_BFC_NONE;
        table[at[5]].left = at[1];
    }
    then_check_says("B3");
}

static void check_notices_a_bit_that_disagrees_with_its_tree(void **state)
{
    (void)state;
    given_a_range_to_break();
    bfc.bin_bitmap[0] ^= 1 << 2;
    then_check_says("B4");

    given_a_range_to_break();
    bfc.bin_bitmap[HP_BFC_BIN_WORDS - 1] ^= 1;
    then_check_says("B4");
}

static void check_notices_a_tree_out_of_order(void **state)
{
    (void)state;
    given_a_range_to_break();
    hp_bfc_chunk *root = &table[at[3]];
    root->left = root->right;
    then_check_says("B5");

    given_a_range_to_break();
    root->right = root->left;
    then_check_says("B5");

    given_a_range_to_break();
    root->dirty = false; /* now a worse fit than what is on its right */
    then_check_says("B5");
}

static void check_notices_a_tree_that_is_no_heap(void **state)
{
    (void)state;
    bool child_was_left[2] = {false, false};
    for (int pages_before = 1; pages_before <= 16; pages_before++) {
        given_layout(LAYOUT(pages_before, -3, 1, -3, 1));
        uint32_t root = bfc.bin_root[2];
        bool left = root == at[3];
        uint32_t child = left ? table[root].left : table[root].right;
        child_was_left[left] = true;

        bfc.bin_root[2] = child;
        table[root].left = table[root].right = HP_BFC_NONE;
        *(left ? &table[child].right : &table[child].left) = root;
        then_check_says("B5");
    }
    assert_true(child_was_left[false] && child_was_left[true]);
}

static void check_notices_a_wrong_sum_of_free_pages(void **state)
{
    (void)state;
    given_a_range_to_break();

    bfc.free_pages++;
    then_check_says("B6");
}

static void check_notices_a_dirty_range_that_leaves_its_chunk_and_a_wrong_sum(void **state)
{
    (void)state;
    given_a_range_to_break();
    bfc.dirty_pages++;
    then_check_says("B7");

    given_layout(LAYOUT(1, -4, 1));
    table[table[at[0]].next].dirty_end_page++;
    then_check_says("B7");

    given_layout(LAYOUT(1, -4, 1));
    table[table[at[0]].next].dirty_start_page = 0;
    then_check_says("B7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_notices_a_gap_and_an_overlap),
        cmocka_unit_test(check_notices_neighbours_that_disagree),
        cmocka_unit_test(check_notices_a_lost_or_doubled_spare_record),
        cmocka_unit_test(check_notices_two_free_neighbours),
        cmocka_unit_test(check_notices_a_used_chunk_in_a_tree),
        cmocka_unit_test(check_notices_a_free_chunk_in_no_tree),
        cmocka_unit_test(check_notices_a_free_chunk_in_the_tree_of_another_bin),
        cmocka_unit_test(check_notices_a_chunk_that_hangs_in_a_tree_twice),
        cmocka_unit_test(check_notices_a_bit_that_disagrees_with_its_tree),
        cmocka_unit_test(check_notices_a_tree_out_of_order),
        cmocka_unit_test(check_notices_a_tree_that_is_no_heap),
        cmocka_unit_test(check_notices_a_wrong_sum_of_free_pages),
        cmocka_unit_test(check_notices_a_dirty_range_that_leaves_its_chunk_and_a_wrong_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
