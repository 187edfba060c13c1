/*
 * What is free of a sparse slab serves larger classes, several slots in a row for a block.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sparse_slabs.h"

static void a_block_of_a_larger_class_lies_in_free_neighbours(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01); /* holes of seven slots */

    assert_int_equal(take(3 * BYTES, 1), 1);

    assert_int_equal(bytes_of(chunks[0]), 3 * BYTES);
    assert_int_equal(index_of(chunks[0]) % 8, 1);
    assert_true(hp_slab_is_inside(slab_of(chunks[0]), index_of(chunks[0]) + 1));
    assert_true(hp_slab_is_inside(slab_of(chunks[0]), index_of(chunks[0]) + 2));
    assert_false(hp_slab_is_inside(slab_of(chunks[0]), index_of(chunks[0]) + 3));
}

static void blocks_of_different_classes_share_a_hole(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);
    assert_int_equal(take(4 * BYTES, 1), 1);
    const char *first = chunks[0];

    assert_int_equal(take(3 * BYTES, 1), 1);

    assert_ptr_equal(chunks[0], first + (size_t)4 * BYTES);
}

static void no_two_blocks_overlap_and_none_reaches_a_survivor(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x11); /* holes of three slots */
    static unsigned char used[SLABS][SLOTS];
    memset(used, 0, sizeof used);
    const hp_slab *slabs[SLABS] = {0};
    unsigned known = 0;
    unsigned blocks = 0;

    for (unsigned taken; (taken = take(2 * BYTES, 7)) != 0; blocks += taken) {
        for (unsigned block = 0; block < taken; block++) {
            const hp_slab *slab = slab_of(chunks[block]);
            unsigned place = 0;
            while (place < known && slabs[place] != slab) {
                place++;
            }
            if (place == known) {
                slabs[known++] = slab;
            }
            for (uint32_t slot = index_of(chunks[block]); slot < index_of(chunks[block]) + 2;
                 slot++) {
                assert_int_not_equal(slot % 4, 0);
                assert_int_equal(used[place][slot]++, 0);
            }
        }
    }

    /* The first slab goes on serving its class. */
    assert_int_equal(known, SLABS - 1);
    assert_int_equal(blocks, (SLABS - 1) * SLOTS / 4);
}

static void a_class_with_few_slabs_keeps_them(void **state)
{
    (void)state;
    given_slabs_with(3, 0x01);

    assert_int_equal(take(2 * BYTES, 1), 0);
}

static void slabs_that_are_more_than_three_quarters_in_use_stay_with_their_class(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0xff);
    given_freed(2, 16);

    assert_int_equal(take(2 * BYTES, 1), 0);
}

static void those_of_which_a_quarter_is_free_do_not(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0xff);
    given_freed(4, 16);

    assert_int_equal(take(2 * BYTES, 1), 1);
}

static void a_block_that_would_waste_more_than_an_eighth_goes_elsewhere(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);

    assert_int_equal(take(2 * BYTES + 16, 1), 0); /* three slots for 144 bytes */
    assert_int_equal(take(3 * BYTES - 16, 1), 1); /* three for 176 */
}

static void every_sparse_slab_is_found_but_the_one_that_serves(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);

    unsigned blocks = 0;
    while (take(7 * BYTES, 1) == 1) {
        blocks++;
    }

    assert_int_equal(blocks, (SLABS - 1) * SLOTS / 8);
}

static void a_freed_block_is_a_hole_again(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);
    assert_int_equal(take(7 * BYTES, 1), 1);
    const void *block = chunks[0];

    assert_true(put_block(block));

    assert_int_equal(take(7 * BYTES, 1), 1);
    assert_ptr_equal(chunks[0], block);
}

static void a_second_free_of_a_block_is_noticed(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);
    take(3 * BYTES, 1);

    assert_true(put_block(chunks[0]));

    assert_false(put_block(chunks[0]));
}

static void the_hot_map_does_not_know_a_mixed_slab(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);
    const hp_slab *known = hp_hot_slab(hp_grain_of(survivors[0]));
    assert_ptr_equal(known, slab_of(survivors[0]));

    take(2 * BYTES, 1);

    assert_null(hp_hot_slab(hp_grain_of(chunks[0])));
}

static void a_mixed_slab_that_is_wholly_free_is_closed_and_serves_any_class(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);
    take(3 * BYTES, 1);
    const hp_slab *slab = slab_of(chunks[0]);
    const char *base = slab->base;
    uint32_t before = slabs_of(BYTES)->slab_count;

    put_survivors();
    assert_true(put_block(chunks[0]));

    assert_int_equal(hp_map_get(base), HP_ENTRY_FREED);
    assert_in_range(slabs_of(BYTES)->slab_count, 0, before - 1);
    assert_int_equal(owner->mixed_lists[hp_class_of(BYTES)], 0);
    given_chunks(BYTES, 0, SLOTS); /* its record too is as good as new */
    assert_int_equal(hp_slab_block_slots(slab_of(chunks[0]), index_of(chunks[0])), 1);
}

static void a_free_from_outside_frees_the_whole_block(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);
    take(7 * BYTES, 1);
    hp_slab *slab = slab_of(chunks[0]);
    uint32_t free_before = slab->free->free_count;

    hp_inbox_free_now(slab, index_of(chunks[0])); /* the claim is taken: a note */
    hp_inbox_drain(owner);

    assert_int_equal(slab->free->free_count, free_before + 7);
    assert_int_equal(hp_slab_block_slots(slab, index_of(chunks[0])), 1);
}

static void its_pages_without_a_block_go_back(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);
    given_freed(SLOTS / 2, SLOTS);
    take(2 * BYTES, 1); /* in the first page */
    const hp_slab *slab = slab_of(chunks[0]);

    a_pass_goes_by(100000);
    a_pass_goes_by(101000);

    /* Seven of the eight pages of that half. */
    assert_int_equal(slab->free->given_back_pages, 0xfe);
}

#define SPEC(name) cmocka_unit_test_setup_teardown(name, owner_setup, owner_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_block_of_a_larger_class_lies_in_free_neighbours),
        SPEC(blocks_of_different_classes_share_a_hole),
        SPEC(no_two_blocks_overlap_and_none_reaches_a_survivor),
        SPEC(a_class_with_few_slabs_keeps_them),
        SPEC(slabs_that_are_more_than_three_quarters_in_use_stay_with_their_class),
        SPEC(those_of_which_a_quarter_is_free_do_not),
        SPEC(a_block_that_would_waste_more_than_an_eighth_goes_elsewhere),
        SPEC(every_sparse_slab_is_found_but_the_one_that_serves),
        SPEC(a_freed_block_is_a_hole_again),
        SPEC(a_second_free_of_a_block_is_noticed),
        SPEC(the_hot_map_does_not_know_a_mixed_slab),
        SPEC(a_mixed_slab_that_is_wholly_free_is_closed_and_serves_any_class),
        SPEC(a_free_from_outside_frees_the_whole_block),
        SPEC(its_pages_without_a_block_go_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
