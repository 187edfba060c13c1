/*
 * Blocks of several slots, from sparse slabs of smaller classes, in a thread's lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sparse_lines.h"

/* Not at a multiple of 64. */
static char *given_a_block_at_no_multiple(void)
{
    char *block = given_a_block();
    while ((uintptr_t)block % 64 == 0) {
        stays(block);
        block = given_a_block();
    }
    return block;
}

/* The next refill would open a fifth slab of the class. */
static void given_four_full_slabs(void)
{
    static void *slots[BLOCKS_OF_FOUR_SLABS];
    assert_true(hp_claim_try(&mine->claim));
    assert_null(mine->classes[hp_class_of(BYTES)].first);
    take_all(slots, BYTES, BLOCKS_OF_FOUR_SLABS);
    for (unsigned slot = 0; slot < BLOCKS_OF_FOUR_SLABS; slot++) {
        stays(slots[slot]);
    }
    hp_claim_release(&mine->claim);
}

/* A block of the slab's own class. */
static void *survivor_of(const hp_slab *slab)
{
    unsigned each = 0;
    while (slab_of(in_use[each]) != slab) {
        each++;
    }
    return in_use[each];
}

static void a_freed_block_waits_in_the_line_of_its_size(void **state)
{
    (void)state;
    given_sparse_slabs();
    char *block = given_a_block();

    hepta_free(block);

    assert_ptr_equal(stays(hepta_malloc(BYTES)), block);
    assert_int_equal(hepta_malloc_usable_size(block), BYTES);
}

static void what_is_left_of_the_slabs_own_class_waits_in_its_line(void **state)
{
    (void)state;
    given_sparse_slabs();
    void *survivor = survivor_of(slab_of(stays(given_a_block())));

    hepta_free(survivor);

    assert_ptr_equal(hepta_malloc(SLOT_BYTES), survivor);
}

static void it_goes_back_as_a_whole(void **state)
{
    (void)state;
    given_sparse_slabs();
    char *block = given_a_block();
    hp_slab *slab = slab_of(block);
    uint32_t free_before = slab->free->free_count;
    hepta_free(block);

    hp_thread_flush(self);

    assert_int_equal(slab->free->free_count, free_before + 4);
    assert_int_equal(hp_slab_block_bytes(slab, index_of(block)), SLOT_BYTES);
}

static void another_owners_block_goes_home_as_a_whole(void **state)
{
    (void)state;
    given_sparse_slabs();
    char *block = given_a_block();
    hp_slab *slab = slab_of(block);
    hp_owner *home = mine;
    uint32_t free_before = slab->free->free_count;
    bind_to_another_owner(self);

    hepta_free(block);
    hp_thread_flush(self);

    assert_true(hp_claim_try(&home->claim));
    hp_inbox_drain(home);
    hp_claim_release(&home->claim);
    assert_int_equal(slab->free->free_count, free_before + 4);
}

static void sparse_slabs_serve_before_a_fifth_slab_is_opened(void **state)
{
    (void)state;
    given_sparse_slabs();
    given_four_full_slabs();

    assert_true(lies_in_a_mixed_slab(stays(hp_thread_refill(self, hp_class_of(BYTES)))));

    assert_int_equal(mine->classes[hp_class_of(BYTES)].slab_count, 4);
}

static void but_not_before_the_first_four(void **state)
{
    (void)state;
    given_sparse_slabs();

    assert_false(lies_in_a_mixed_slab(stays(hp_thread_refill(self, hp_class_of(BYTES)))));
}

static void a_crowds_slabs_stay_with_their_class(void **state)
{
    (void)state;
    given_sparse_slabs();
    given_four_full_slabs();
    uint32_t threads = atomic_load(&mine->bound_threads);
    atomic_store(&mine->bound_threads, HP_CROWD_THREADS);

    void *block = stays(hp_thread_refill(self, hp_class_of(BYTES)));

    atomic_store(&mine->bound_threads, threads);
    assert_false(lies_in_a_mixed_slab(block));
}

static void an_aligned_request_gets_no_block_that_is_not(void **state)
{
    (void)state;
    given_sparse_slabs();
    char *block = given_a_block_at_no_multiple();
    hp_slab *slab = slab_of(block);
    uint32_t free_before = slab->free->free_count;
    hepta_free(block);

    char *aligned = stays(hepta_memalign(64, BYTES));

    assert_non_null(aligned);
    assert_int_equal((uintptr_t)aligned % 64, 0);
    /* The next one shall not meet it again. */
    assert_int_equal(slab->free->free_count, free_before + 4);
}

static void realloc_stays_in_the_block_as_long_as_it_fits(void **state)
{
    (void)state;
    given_sparse_slabs();
    char *block = given_a_block();
    memset(block, 0x41, BYTES);

    assert_ptr_equal(hepta_realloc(block, BYTES - 40), block);
    char *moved = stays(hepta_realloc(block, BYTES + 1));

    assert_ptr_not_equal(moved, block);
    assert_int_equal(moved[BYTES - 41], 0x41);
}

#define SPEC(name) cmocka_unit_test_setup_teardown(name, thread_setup, mixed_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_freed_block_waits_in_the_line_of_its_size),
        SPEC(what_is_left_of_the_slabs_own_class_waits_in_its_line),
        SPEC(it_goes_back_as_a_whole),
        SPEC(another_owners_block_goes_home_as_a_whole),
        SPEC(sparse_slabs_serve_before_a_fifth_slab_is_opened),
        SPEC(but_not_before_the_first_four),
        SPEC(a_crowds_slabs_stay_with_their_class),
        SPEC(an_aligned_request_gets_no_block_that_is_not),
        SPEC(realloc_stays_in_the_block_as_long_as_it_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
