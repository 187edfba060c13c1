/*
 * Blocks of many classes come and go in sparse slabs, against a plain model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sparse_slabs.h"

typedef struct model_block {
    char *start;
    size_t bytes;
} model_block;

enum { PATTERNS = 7, STEPS = 60000, MODEL_BLOCKS = 400 };

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
    assert_true(put_block(block->start));
    block->start = NULL;
}

static void take_and_write(model_block *block)
{
    static const size_t sizes[] = {64, 128, 192, 256, 448, 1024, 2048, 5120, 8192, 20480};
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
                assert_true(put_block(survivors[--survivor_count]));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_random_life_keeps_every_block_whole_and_ends_with_all_slabs_closed, owner_setup,
            owner_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
