/*
 * Blocks above 8 KiB from sparse slabs of small classes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sparse_lines.h"

enum { LARGE_BYTES = 12 << 10 };

/* All but the last slots of each slab are free. */
static void given_slabs_with_long_holes(void)
{
    given_sparse_slabs();
    assert_true(hp_claim_try(&mine->claim));
    unsigned kept = 0;
    for (unsigned each = 0; each < in_use_count; each++) {
        if (index_of(in_use[each]) < SLOTS - 16) {
            put_slot(in_use[each]);
        } else {
            in_use[kept++] = in_use[each];
        }
    }
    in_use_count = kept;
    hp_claim_release(&mine->claim);
}

/* The only slab of the class has no free slot. */
static void given_one_full_large_slab(void)
{
    for (unsigned slot = 0; slot < HP_LARGE_SLAB_BYTES / LARGE_BYTES; slot++) {
        assert_false(lies_in_a_mixed_slab(stays(hepta_malloc(LARGE_BYTES))));
    }
}

static void a_block_above_8192_bytes_comes_from_there(void **state)
{
    (void)state;
    given_slabs_with_long_holes();
    given_one_full_large_slab();

    char *block = stays(hepta_malloc(LARGE_BYTES));

    assert_true(lies_in_a_mixed_slab(block));
    assert_int_equal(hepta_malloc_usable_size(block), LARGE_BYTES);
    memset(block, 0x41, LARGE_BYTES);
}

static void it_waits_in_the_depot_for_the_next_request(void **state)
{
    (void)state;
    given_slabs_with_long_holes();
    given_one_full_large_slab();
    char *block = hepta_malloc(LARGE_BYTES);
    hp_slab *slab = slab_of(block);
    uint32_t free_before = slab->free->free_count;

    hepta_free(block);

    assert_int_equal(slab->free->free_count, free_before);
    assert_ptr_equal(hepta_malloc(LARGE_BYTES), block);
    hepta_free(block);
    assert_true(hp_claim_try(&mine->claim));
    hp_depot_empty(mine);
    hp_claim_release(&mine->claim);
    assert_int_equal(slab->free->free_count, free_before + LARGE_BYTES / SLOT_BYTES);
}

static void but_not_for_one_that_has_to_be_aligned(void **state)
{
    (void)state;
    given_slabs_with_long_holes();
    given_one_full_large_slab();
    stays(given_a_block());
    char *block = hepta_malloc(LARGE_BYTES);
    assert_int_not_equal((uintptr_t)block % 2048, 0);
    hepta_free(block);

    char *aligned = stays(hepta_memalign(2048, LARGE_BYTES));

    assert_int_equal((uintptr_t)aligned % 2048, 0);
    assert_false(lies_in_a_mixed_slab(aligned));
}

static void one_that_has_to_be_aligned_does_not(void **state)
{
    (void)state;
    given_slabs_with_long_holes();
    given_one_full_large_slab();

    char *block = stays(hepta_memalign(2048, LARGE_BYTES));

    assert_false(lies_in_a_mixed_slab(block));
    assert_int_equal((uintptr_t)block % 2048, 0);
}

static void calloc_clears_it(void **state)
{
    (void)state;
    given_slabs_with_long_holes();
    given_one_full_large_slab();
    char *dirty = hepta_malloc(LARGE_BYTES);
    memset(dirty, 0x41, LARGE_BYTES);
    hepta_free(dirty);

    char *block = stays(hepta_calloc(1, LARGE_BYTES));

    assert_ptr_equal(block, dirty);
    for (unsigned at = 0; at < LARGE_BYTES; at++) {
        assert_int_equal(block[at], 0);
    }
}

#define SPEC(name) cmocka_unit_test_setup_teardown(name, thread_setup, mixed_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_block_above_8192_bytes_comes_from_there),
        SPEC(it_waits_in_the_depot_for_the_next_request),
        SPEC(but_not_for_one_that_has_to_be_aligned),
        SPEC(one_that_has_to_be_aligned_does_not),
        SPEC(calloc_clears_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
