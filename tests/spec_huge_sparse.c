/*
 * A large block of which the program touched a few pages: they stay with it when it is freed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hepta/hepta.h"
#include "huge_blocks.h"

enum { SPARSE_BYTES = 32 << 10 };

/* The first bytes and the last one are written. */
static char *given_a_sparse_block(size_t bytes, size_t written_bytes)
{
    char *start = given_a_huge_block(bytes);
    memset(start, 7, written_bytes - 1);
    start[bytes - 1] = 7;
    return start;
}

static size_t resident_bytes(void *start, size_t bytes)
{
    return hp_system_kernel.resident_bytes(start, bytes);
}

static void a_sparse_block_keeps_its_memory_however_long_it_is(void **state)
{
    (void)state;
    char *in_use = given_a_huge_block(65 * MIB);
    char *start = given_a_sparse_block(65 * MIB, SPARSE_BYTES - hp_page_bytes());
    size_t before = resident_bytes(start, 65 * MIB);
    give_back(start);
    bool zeroed = true;

    assert_ptr_equal(hp_huge_allocate(65 * MIB, 1, &zeroed), start);

    assert_int_equal(fake.discards_asked, 0);
    assert_int_equal(resident_bytes(start, 65 * MIB), before);
    assert_false(zeroed);
    give_back(start);
    give_back(in_use);
}

static void one_with_more_memory_counts_with_its_length(void **state)
{
    (void)state;
    char *in_use = given_a_huge_block(65 * MIB);
    char *start = given_a_sparse_block(65 * MIB, SPARSE_BYTES + hp_page_bytes());

    give_back(start);

    assert_int_equal(fake.discarded_bytes, 65 * MIB);
    assert_int_equal(resident_bytes(start, 65 * MIB), 0);
    give_back(in_use);
}

/* Nothing in memory is not nothing written: it may have been swapped out. */
static void what_is_not_in_memory_is_not_taken_for_zero(void **state)
{
    (void)state;
    char *start = given_a_huge_block(5 * MIB);
    give_back(start);
    bool zeroed = true;

    assert_ptr_equal(hp_huge_allocate(5 * MIB, 1, &zeroed), start);

    assert_false(zeroed);
    give_back(start);
}

static void where_the_kernel_tells_nothing_all_may_be_written_and_nothing_is_moved(void **state)
{
    (void)state;
    fake.refuse_telling = true;
    char *in_use = given_a_huge_block(100 * MIB);
    char *start = given_a_filled_block(40 * MIB);
    char *other = given_a_filled_block(40 * MIB);

    give_back(start);
    assert_int_equal(fake.discarded_bytes, 0);
    give_back(other);

    assert_int_equal(fake.discarded_bytes, 40 * MIB);
    char *longer = given_a_huge_block(50 * MIB);
    assert_ptr_not_equal(longer, start);
    assert_int_equal(longer[0], 0);
    give_back(longer);
    give_back(in_use);
}

static void calloc_gives_up_what_a_sparse_block_kept(void **state)
{
    (void)state;
    char *start = hepta_malloc(20 * MIB);
    start[0] = 7;
    start[20 * MIB - 1] = 7;
    hepta_free(start);
    fake_system_forget();

    assert_ptr_equal(hepta_calloc(20, MIB), start);

    assert_int_equal(fake.discarded_bytes, 20 * MIB);
    assert_int_equal(resident_bytes(start, 20 * MIB), 0);
    assert_int_equal(start[0] + start[20 * MIB - 1], 0);
    hepta_free(start);
}

static void calloc_clears_a_filled_one_and_one_that_cannot_be_discarded(void **state)
{
    for (int refused = 0; refused < 2; refused++) {
        huge_setup(state);
        char *start = hepta_malloc(20 * MIB);
        memset(start, 7, refused ? 1 : 20 * MIB);
        start[20 * MIB - 1] = 7;
        hepta_free(start);
        fake_system_forget();
        fake.refuse_discard = refused;

        assert_ptr_equal(hepta_calloc(20, MIB), start);

        assert_int_equal(fake.discarded_bytes, 0);
        assert_int_equal(start[0] + start[10 * MIB] + start[20 * MIB - 1], 0);
        hepta_free(start);
    }
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, huge_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_sparse_block_keeps_its_memory_however_long_it_is),
        SPEC(one_with_more_memory_counts_with_its_length),
        SPEC(what_is_not_in_memory_is_not_taken_for_zero),
        SPEC(where_the_kernel_tells_nothing_all_may_be_written_and_nothing_is_moved),
        SPEC(calloc_gives_up_what_a_sparse_block_kept),
        SPEC(calloc_clears_a_filled_one_and_one_that_cannot_be_discarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
