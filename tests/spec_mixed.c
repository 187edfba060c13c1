/*
 * What is free of a sparse slab serves larger classes, several slots in a row for a block.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "owner/mixed.h"
#include "owner_slots.h"

enum {
    BYTES = 64, /* of the class whose slabs become sparse */
    SLOTS = HP_SMALL_SLAB_BYTES / BYTES,
    SLABS = 5,
    PATTERNS = 7
};

static void *survivors[SLABS * SLOTS];
static unsigned survivor_count;

/* So many slabs of which the slots stay that the pattern has a bit for, counted from the first of each eight. */
static void given_slabs_with(unsigned slabs, unsigned pattern)
{
    survivor_count = 0;
    static void *all[SLABS * SLOTS];
    for (unsigned slab = 0; slab < slabs; slab++) {
        given_chunks(BYTES, 0, SLOTS);
        memcpy(all + (size_t)slab * SLOTS, chunks, SLOTS * sizeof *chunks);
    }
    for (unsigned slot = 0; slot < slabs * SLOTS; slot++) {
        if ((pattern >> slot % 8 & 1) != 0) {
            survivors[survivor_count++] = all[slot];
        } else {
            assert_true(put(all[slot]));
        }
    }
}

static unsigned take(size_t bytes, unsigned count)
{
    return hp_mixed_take(owner, hp_class_of(bytes), count, chunks);
}

static uint64_t put_block(const void *block)
{
    uint32_t index = index_of(block);
    hp_slab *slab = slab_of(block);
    return hp_owner_put_word(owner, slab, index / 64, hp_slab_block_bits(slab, index));
}

static size_t bytes_of(const void *block)
{
    return hp_count_bits(hp_slab_block_bits(slab_of(block), index_of(block))) * (size_t)BYTES;
}

static void put_survivors(void)
{
    while (survivor_count > 0) {
        assert_int_equal(put_block(survivors[--survivor_count]), 0);
    }
}

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

static void slabs_that_are_more_than_half_in_use_stay_with_their_class(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x1f); /* holes of three of eight */

    assert_int_equal(take(2 * BYTES, 1), 0);
}

static void a_block_that_would_waste_more_than_an_eighth_goes_elsewhere(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);

    assert_int_equal(take(2 * BYTES + 16, 1), 0); /* three slots for 144 bytes */
    assert_int_equal(take(3 * BYTES - 16, 1), 1); /* three for 176 */
}

static void a_hole_is_as_large_as_64_slots(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);
    /* All of each bitmap word but the last one's first slot. */
    unsigned kept = 0;
    for (unsigned each = 0; each < survivor_count; each++) {
        if (index_of(survivors[each]) == SLOTS - 64) {
            survivors[kept++] = survivors[each];
        } else {
            assert_true(put(survivors[each]));
        }
    }
    survivor_count = kept;

    assert_int_equal(take(64 * BYTES, 1), 1);

    assert_int_equal(bytes_of(chunks[0]), 64 * BYTES);
    assert_int_equal(put_block(chunks[0]), 0);
}

static void a_freed_block_is_a_hole_again(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);
    assert_int_equal(take(7 * BYTES, 1), 1);
    const void *block = chunks[0];

    assert_int_equal(put_block(block), 0);

    assert_int_equal(take(7 * BYTES, 1), 1);
    assert_ptr_equal(chunks[0], block);
}

static void a_second_free_of_a_block_is_noticed(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);
    take(3 * BYTES, 1);

    assert_int_equal(put_block(chunks[0]), 0);

    assert_int_not_equal(put_block(chunks[0]), 0);
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
    assert_int_equal(put_block(chunks[0]), 0);

    assert_int_equal(hp_map_get(base), HP_ENTRY_FREED);
    assert_in_range(slabs_of(BYTES)->slab_count, 0, before - 1);
    for (unsigned list = 0; list < HP_MIXED_LISTS; list++) {
        assert_null(owner->mixed[list].first);
    }
    given_chunks(BYTES, 0, SLOTS); /* its record too is as good as new */
    assert_int_equal(hp_slab_block_bits(slab_of(chunks[0]), index_of(chunks[0])),
                     (uint64_t)1 << index_of(chunks[0]) % 64);
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
    assert_int_equal(hp_slab_block_bits(slab, index_of(chunks[0])),
                     (uint64_t)1 << index_of(chunks[0]) % 64);
}

/* ---- against a plain model ---- */

typedef struct model_block {
    char *start;
    size_t bytes;
} model_block;

enum { STEPS = 60000, MODEL_BLOCKS = 400 };

static unsigned random_state;

static unsigned below(unsigned bound)
{
    random_state = random_state * 1103515245 + 12345;
    return random_state / 65536 % bound;
}

static void check_and_put(model_block *block)
{
    for (size_t at = 0; at < block->bytes; at += 16) {
        assert_memory_equal(block->start + at, &block, sizeof(void *));
    }
    assert_int_equal(put_block(block->start), 0);
    block->start = NULL;
}

static void take_and_write(model_block *block)
{
    static const size_t sizes[] = {64, 128, 192, 256, 448, 512, 1024, 2048};
    size_t bytes = sizes[below(sizeof sizes / sizeof *sizes)];
    if (take(bytes, 1) == 1) {
        *block = (model_block){chunks[0], bytes_of(chunks[0])};
        assert_in_range(block->bytes, bytes, bytes + bytes / 8);
        for (size_t at = 0; at < block->bytes; at += 16) {
            memcpy(block->start + at, &block, sizeof(void *));
        }
    }
}

static void a_random_life_keeps_every_block_whole_and_ends_with_all_slabs_closed(void **state)
{
    (void)state;
    static const unsigned patterns[PATTERNS] = {0x01, 0x11, 0x25, 0x03, 0x81, 0x10, 0x07};
    static model_block blocks[MODEL_BLOCKS];
    for (unsigned run = 0; run < PATTERNS; run++) {
        random_state = run + 1;
        given_slabs_with(SLABS, patterns[run]);
        for (unsigned step = 0; step < STEPS / PATTERNS; step++) {
            model_block *block = &blocks[below(MODEL_BLOCKS)];
            if (block->start != NULL) {
                check_and_put(block);
            } else {
                take_and_write(block);
            }
            if (below(16) == 0 && survivor_count > 0) {
                assert_int_equal(put_block(survivors[--survivor_count]), 0);
            }
            if (step % 64 == 0) {
                assert_null(hp_owner_check(owner));
            }
        }
        for (unsigned each = 0; each < MODEL_BLOCKS; each++) {
            if (blocks[each].start != NULL) {
                check_and_put(&blocks[each]);
            }
        }
        put_survivors();
        hp_owner_close_empty(owner, hp_class_of(BYTES));
        assert_int_equal(slabs_of(BYTES)->slab_count, 0);
    }
}

#define SPEC(name) cmocka_unit_test_setup_teardown(name, owner_setup, owner_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_block_of_a_larger_class_lies_in_free_neighbours),
        SPEC(blocks_of_different_classes_share_a_hole),
        SPEC(no_two_blocks_overlap_and_none_reaches_a_survivor),
        SPEC(a_class_with_few_slabs_keeps_them),
        SPEC(slabs_that_are_more_than_half_in_use_stay_with_their_class),
        SPEC(a_block_that_would_waste_more_than_an_eighth_goes_elsewhere),
        SPEC(a_hole_is_as_large_as_64_slots),
        SPEC(a_freed_block_is_a_hole_again),
        SPEC(a_second_free_of_a_block_is_noticed),
        SPEC(the_hot_map_does_not_know_a_mixed_slab),
        SPEC(a_mixed_slab_that_is_wholly_free_is_closed_and_serves_any_class),
        SPEC(a_free_from_outside_frees_the_whole_block),
        SPEC(a_random_life_keeps_every_block_whole_and_ends_with_all_slabs_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
