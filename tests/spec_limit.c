/*
 * A ceiling on what is mapped.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena/purge.h"
#include "hepta/hepta.h"
#include "platform/limit.h"
#include "platform/system.h"
#include "support/fake_system.h"

#define MIB ((size_t)1 << 20)

enum { MOST_BLOCKS = 4096 };

static void *blocks[MOST_BLOCKS];

static int setup(void **state)
{
    fake_system_setup(state);
    hepta_malloc_trim(0);
    fake_system_forget();
    return 0;
}

static int teardown(void **state)
{
    hepta_set_limit(0);
    return fake_system_teardown(state);
}

/* As many blocks as can be had. */
static unsigned fill(size_t bytes)
{
    unsigned count = 0;
    while (count < MOST_BLOCKS && (blocks[count] = hepta_malloc(bytes)) != NULL) {
        count++;
    }
    return count;
}

static void empty(unsigned count)
{
    while (count > 0) {
        hepta_free(blocks[--count]);
    }
}

static void what_is_mapped_and_unmapped_is_counted(void **state)
{
    (void)state;
    uint64_t before = hp_limit_mapped_bytes();

    char *range = hp_system->map(NULL, 2 * MIB);
    assert_int_equal(hp_limit_mapped_bytes() - before, 2 * MIB);
    char *grown = hp_system->remap(range, 2 * MIB, 3 * MIB, HP_ANYWHERE);
    assert_int_equal(hp_limit_mapped_bytes() - before, 3 * MIB);
    char *target = hp_system->map(NULL, 3 * MIB);
    assert_ptr_equal(hp_system->remap(grown, 3 * MIB, 3 * MIB, target), target);
    assert_int_equal(hp_limit_mapped_bytes() - before, 3 * MIB);
    assert_non_null(hp_system->remap(target, 3 * MIB, MIB, NULL));
    assert_int_equal(hp_limit_mapped_bytes() - before, MIB);
    hp_system->unmap(target, MIB);

    assert_int_equal(hp_limit_mapped_bytes(), before);
}

static void nothing_is_mapped_above_the_ceiling(void **state)
{
    (void)state;
    uint64_t before = hp_limit_mapped_bytes();
    hp_limit_set_ceiling(before + 2 * MIB);

    assert_null(hp_system->map(NULL, 2 * MIB + hp_page_bytes()));
    assert_int_equal(hp_limit_mapped_bytes(), before);
    char *range = hp_system->map(NULL, 2 * MIB);
    assert_non_null(range);
    assert_null(hp_system->remap(range, 2 * MIB, 3 * MIB, HP_ANYWHERE));
    assert_null(hp_system->map(NULL, SIZE_MAX & ~(hp_page_bytes() - 1)));

    hp_system->unmap(range, 2 * MIB);
}

static void requests_above_it_fail_and_what_is_freed_can_be_had_again(void **state)
{
    (void)state;
    static const size_t sizes[] = {1000, 20000, 100000, 1000000, 5000000};
    assert_int_equal(hepta_set_limit(64 * MIB), 0);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned row = 0; row < sizeof sizes / sizeof *sizes; row++) {
            size_t bytes = sizes[row];
            errno = 0;
            unsigned count = fill(bytes);

            if (count < MOST_BLOCKS) {
                assert_int_equal(errno, ENOMEM);
                assert_true(count * bytes >= 40 * MIB);
            }
            assert_true(hp_limit_mapped_bytes() <= 64 * MIB);
            empty(count);
        }
    }
    assert_int_equal(hepta_set_limit(0), 64 * MIB);
}

static void a_ceiling_below_what_is_mapped_refuses_only_what_is_new(void **state)
{
    (void)state;
    void *block = hepta_malloc(30 * MIB);
    hepta_set_limit(MIB);

    assert_null(hepta_malloc(20 * MIB));
    memset(block, 1, 30 * MIB);
    hepta_free(block);

    hepta_set_limit(0);
    block = hepta_malloc(20 * MIB);
    assert_non_null(block);
    hepta_free(block);
}

static void above_a_ceiling_that_was_lowered_a_block_can_shrink(void **state)
{
    (void)state;
    void *block = hepta_malloc(30 * MIB);
    uint64_t before = hp_limit_mapped_bytes();
    hepta_set_limit(MIB);

    block = hepta_realloc(block, 10 * MIB);

    assert_int_equal(hepta_malloc_usable_size(block), 10 * MIB);
    assert_int_equal(hp_limit_mapped_bytes(), before - 20 * MIB);
    hepta_free(block);
}

static void a_block_grows_by_what_was_kept_for_others(void **state)
{
    (void)state;
    unsigned char *block = memset(hepta_malloc(30 * MIB), 7, 30 * MIB);
    void *kept = memset(hepta_malloc(20 * MIB), 1, 20 * MIB);
    hepta_free(kept);
    hepta_set_limit(hp_limit_mapped_bytes() + MIB);
    errno = 0;

    block = hepta_realloc(block, 45 * MIB);

    assert_non_null(block);
    assert_int_equal(errno, 0);
    assert_int_equal(block[30 * MIB - 1], 7);
    hepta_free(block);
}

static void given_freed_blocks(void)
{
    for (unsigned index = 0; index < 40; index++) {
        blocks[index] = memset(hepta_malloc(MIB), 1, MIB);
    }
    empty(40);
    hp_purge_settle();
}

/* Longer than all memory and swap: whatever is given back, it would not be granted. */
static void what_can_never_be_had_takes_nothing_from_what_is_kept(void **state)
{
    (void)state;
    hp_limit_ask_system();
    given_freed_blocks();
    fake.map_limit_bytes = 1000 * MIB;
    errno = 0;

    assert_null(hepta_malloc((size_t)1 << 46));

    assert_int_equal(errno, ENOMEM);
    assert_true(hp_purge_dirty_pages() * hp_page_bytes() > 35 * MIB);
}

enum { REFUSED_TRIES = 200000 };

/* Two threads ask for what is refused, again and again. */
static void *ask_for_too_much(void *argument)
{
    for (unsigned attempt = 0; attempt < REFUSED_TRIES; attempt++) {
        assert_false(hp_limit_add(1000 * MIB));
    }
    return argument;
}

static void what_is_refused_is_in_nobody_elses_way(void **state)
{
    (void)state;
    pthread_t others[2];
    hepta_set_limit(hp_limit_mapped_bytes() + 100 * MIB);
    for (unsigned other = 0; other < 2; other++) {
        assert_int_equal(pthread_create(&others[other], NULL, ask_for_too_much, NULL), 0);
    }
    unsigned refused = 0;
    for (unsigned attempt = 0; attempt < REFUSED_TRIES; attempt++) {
        bool added = hp_limit_add(MIB);
        refused += !added;
        hp_limit_take_off(added ? MIB : 0);
    }
    for (unsigned other = 0; other < 2; other++) {
        pthread_join(others[other], NULL);
    }

    assert_int_equal(refused, 0);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(what_is_mapped_and_unmapped_is_counted),
        SPEC(nothing_is_mapped_above_the_ceiling),
        SPEC(requests_above_it_fail_and_what_is_freed_can_be_had_again),
        SPEC(a_ceiling_below_what_is_mapped_refuses_only_what_is_new),
        SPEC(above_a_ceiling_that_was_lowered_a_block_can_shrink),
        SPEC(a_block_grows_by_what_was_kept_for_others),
        SPEC(what_can_never_be_had_takes_nothing_from_what_is_kept),
        SPEC(what_is_refused_is_in_nobody_elses_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
