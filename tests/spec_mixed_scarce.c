/*
 * Where the system refuses memory, whatever hole there is serves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sparse_slabs.h"

/* What hp_owner_take_at_least hands out stays among the survivors. */
static void *scrape(size_t bytes)
{
    bool zeroed;
    void *chunk = hp_owner_take_at_least(owner, hp_class_of(bytes), &zeroed);
    if (chunk != NULL) {
        survivors[survivor_count++] = chunk;
    }
    return chunk;
}

static void the_slab_that_serves_its_class_gives_too(void **state)
{
    (void)state;
    given_slabs_with(1, 0x01);
    assert_int_equal(take(3 * BYTES, 1), 0);

    void *chunk = scrape(3 * BYTES);

    assert_non_null(chunk);
    assert_int_equal(bytes_of(chunk), 3 * BYTES);
}

static void a_slab_that_is_hardly_free_too(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0xff);
    given_freed(2, 16);
    assert_int_equal(take(2 * BYTES, 1), 0);

    assert_non_null(scrape(2 * BYTES));
}

static void a_crowds_slabs_too(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);
    uint32_t threads = atomic_load(&owner->bound_threads);
    atomic_store(&owner->bound_threads, HP_CROWD_THREADS);
    assert_int_equal(take(3 * BYTES, 1), 0);

    void *chunk = scrape(3 * BYTES);

    atomic_store(&owner->bound_threads, threads);
    assert_non_null(chunk);
}

static void every_free_slot_serves_a_class_that_is_smaller(void **state)
{
    (void)state;
    given_slabs_with(SLABS, 0x01);
    assert_int_equal(take(2 * BYTES, 1), 1); /* one of the slabs is a mixed one */
    survivors[survivor_count++] = chunks[0];

    unsigned blocks = 0;
    while (scrape(BYTES - 16) != NULL) {
        blocks++;
    }

    assert_int_equal(blocks, SLABS * SLOTS / 8 * 7 - 2);
}

static int scarce_teardown(void **state)
{
    put_survivors();
    return owner_teardown(state);
}

#define SPEC(name) cmocka_unit_test_setup_teardown(name, owner_setup, scarce_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(the_slab_that_serves_its_class_gives_too),
        SPEC(a_slab_that_is_hardly_free_too),
        SPEC(a_crowds_slabs_too),
        SPEC(every_free_slot_serves_a_class_that_is_smaller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
