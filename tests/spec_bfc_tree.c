/* The bins of the BFC core and the shape of their trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena/bfc_tree.h"
#include "bfc_layout.h"

/* ---- bins ---- */

static void every_count_up_to_64_pages_has_a_bin_of_its_own(void **state)
{
    (void)state;
    for (uint32_t pages = 1; pages <= 64; pages++) {
        assert_int_equal(hp_bfc_bin_of_pages(pages), pages - 1);
    }
}

static void above_64_pages_a_doubling_has_eight_bins(void **state)
{
    (void)state;
    assert_int_equal(hp_bfc_bin_of_pages(65), 64);
    assert_int_equal(hp_bfc_bin_of_pages(72), 64);
    assert_int_equal(hp_bfc_bin_of_pages(73), 65);
    assert_int_equal(hp_bfc_bin_of_pages(128), 71);
    assert_int_equal(hp_bfc_bin_of_pages(129), 72);
    assert_int_equal(hp_bfc_bin_of_pages(144), 72);
    assert_int_equal(hp_bfc_bin_of_pages(145), 73);
    assert_int_equal(hp_bfc_bin_of_pages(256), 79);
}

static void the_largest_count_of_pages_has_the_last_bin(void **state)
{
    (void)state;
    assert_int_equal(hp_bfc_bin_of_pages(HP_BFC_MAX_PAGES), HP_BFC_BIN_COUNT - 1);
    assert_int_equal(hp_bfc_bin_of_pages(HP_BFC_MAX_PAGES / 2), HP_BFC_BIN_COUNT - 9);
}

static void the_largest_free_run_is_known(void **state)
{
    (void)state;
    given_layout(LAYOUT(-70, 1, -72, 1, -66, 1));

    assert_int_equal(hp_bfc_largest_free_pages(&bfc), 72);
    hp_bfc_allocate(&bfc, 72, 1);
    assert_int_equal(hp_bfc_largest_free_pages(&bfc), 70);
    hp_bfc_allocate(&bfc, 70, 1);
    hp_bfc_allocate(&bfc, 66, 1);
    assert_int_equal(hp_bfc_largest_free_pages(&bfc), 0);
}

/* ---- shape of a tree ---- */

static uint32_t height(uint32_t node)
{
    if (node == HP_BFC_NONE) {
        return 0;
    }
    uint32_t left = height(table[node].left);
    uint32_t right = height(table[node].right);
    return 1 + (left > right ? left : right);
}

static void a_bin_with_a_thousand_evenly_spaced_chunks_is_a_low_tree(void **state)
{
    (void)state;
    for (uint32_t used_pages = 1; used_pages <= 64; used_pages++) {
        given_pages(1024 * (used_pages + 1));
        for (uint32_t i = 0; i < 1024; i++) {
            at[0] = hp_bfc_allocate(&bfc, 1, 1);
            hp_bfc_allocate(&bfc, used_pages, 1);
            table[at[0]].requested_bytes = 1;
        }
        for (uint32_t chunk = 0; chunk < 2048; chunk++) {
            if (table[chunk].requested_bytes == 1) {
                hp_bfc_free(&bfc, chunk, 100);
            }
        }

        assert_null(hp_bfc_check(&bfc));
        assert_in_range(height(bfc.bin_root[0]), 11, 40);
    }
}

static void the_same_free_chunks_make_the_same_tree_in_whatever_order_they_came(void **state)
{
    (void)state;
    static const uint8_t orders[2][5] = {{1, 3, 5, 7, 9}, {7, 1, 9, 5, 3}};
    uint32_t shape[2][6];
    for (int i = 0; i < 2; i++) {
        given_layout(LAYOUT(1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1));
        for (int k = 0; k < 5; k++) {
            hp_bfc_free(&bfc, at[orders[i][k]], 100);
        }
        shape[i][0] = bfc.bin_root[2];
        for (int k = 0; k < 5; k++) {
            shape[i][1 + k] = table[at[1 + 2 * k]].left;
        }
    }

    assert_memory_equal(shape[0], shape[1], sizeof shape[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_count_up_to_64_pages_has_a_bin_of_its_own),
        cmocka_unit_test(above_64_pages_a_doubling_has_eight_bins),
        cmocka_unit_test(the_largest_count_of_pages_has_the_last_bin),
        cmocka_unit_test(the_largest_free_run_is_known),
        cmocka_unit_test(a_bin_with_a_thousand_evenly_spaced_chunks_is_a_low_tree),
        cmocka_unit_test(the_same_free_chunks_make_the_same_tree_in_whatever_order_they_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
