/*
 * Blocks of a sparse slab that are longer than a word of its bitmap tells.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sparse_slabs.h"

static void a_block_reaches_across_words_of_the_bitmap(void **state)
{
    (void)state;
    static const size_t sizes[] = {40 * BYTES, 64 * BYTES, 96 * BYTES, 128 * BYTES, 512 * BYTES};
    given_slabs_with(SLABS, 0x01);
    given_freed(SLOTS - 8, SLOTS);
    for (unsigned size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        assert_int_equal(take(sizes[size], 1), 1);
        assert_int_equal(bytes_of(chunks[0]), sizes[size]);
        assert_null(hp_owner_check(owner));
        survivors[survivor_count++] = chunks[0];
    }
    assert_int_equal(index_of(survivors[survivor_count - 2]), 40 + 64 + 96);

    while (survivor_count > 0) {
        assert_true(put_block(survivors[--survivor_count]));
        assert_null(hp_owner_check(owner));
    }
}

static void a_block_that_ends_with_a_word_ends_there(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);
    given_freed(SLOTS - 8, SLOTS);
    assert_int_equal(take(64 * BYTES, 2), 2);
    assert_ptr_equal(chunks[1], (char *)chunks[0] + (size_t)64 * BYTES);

    assert_int_equal(bytes_of(chunks[0]), 64 * BYTES);
    assert_true(put_block(chunks[1]));
    assert_int_equal(bytes_of(chunks[0]), 64 * BYTES);
    assert_true(put_block(chunks[0]));
}

static void a_long_block_that_is_freed_from_outside_comes_back_whole(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);
    given_freed(SLOTS - 8, SLOTS);
    assert_int_equal(take(40 * BYTES, 1), 1);
    assert_int_equal(take(128 * BYTES, 1), 1);
    hp_slab *slab = slab_of(chunks[0]);
    uint32_t index = index_of(chunks[0]);
    uint32_t free_before = slab->free->free_count;
    assert_int_equal(index % 64, 40);

    hp_inbox_free_now(slab, index); /* the claim is taken: notes in three words */
    hp_inbox_drain(owner);

    assert_int_equal(slab->free->free_count, free_before + 128);
    assert_int_equal(hp_slab_block_slots(slab, index), 1);
    assert_null(hp_owner_check(owner));
}

#define SPEC(name) cmocka_unit_test_setup_teardown(name, owner_setup, owner_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_block_reaches_across_words_of_the_bitmap),
        SPEC(a_block_that_ends_with_a_word_ends_there),
        SPEC(a_long_block_that_is_freed_from_outside_comes_back_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
