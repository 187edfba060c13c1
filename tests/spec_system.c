/*
 * Many ranges lose their memory by one call or by many, with the same result. With the real kernel.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "platform/system.h"

enum { RANGES = 4 };

static hp_address_range ranges[RANGES];
static char *mapped;

/* With a page between any two, which is to keep what is in it. */
static int setup(void **state)
{
    (void)state;
    size_t page_bytes = hp_page_bytes();
    mapped = hp_system->map(NULL, (2 * RANGES - 1) * page_bytes);
    assert_non_null(mapped);
    memset(mapped, 1, (2 * RANGES - 1) * page_bytes);
    for (unsigned index = 0; index < RANGES; index++) {
        ranges[index] = (hp_address_range){mapped + 2 * index * page_bytes, page_bytes};
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hp_system_use_batches(false);
    assert_true(hp_system->unmap(mapped, (2 * RANGES - 1) * hp_page_bytes()));
    return 0;
}

static bool is_zero(unsigned range)
{
    return *(char *)ranges[range].address == 0;
}

static void then_all_ranges_are_zero_and_what_is_between_is_not(void)
{
    for (unsigned index = 0; index < RANGES; index++) {
        assert_true(is_zero(index));
        assert_true(index == 0 || ((char *)ranges[index].address)[-1] == 1);
    }
}

static void all_ranges_are_discarded_one_by_one(void **state)
{
    (void)state;
    assert_int_equal(hp_system->discard_all(ranges, RANGES), RANGES);

    then_all_ranges_are_zero_and_what_is_between_is_not();
}

static void all_ranges_are_discarded_in_a_batch_if_there_is_one(void **state)
{
    (void)state;
    hp_system_use_batches(true);

    assert_int_equal(hp_system->discard_all(ranges, RANGES), RANGES);

    then_all_ranges_are_zero_and_what_is_between_is_not();
}

/* Locked pages are what the kernel keeps. */
static void the_first_range_that_is_refused_ends_it(void **state)
{
    for (unsigned refused = 0; refused < RANGES; refused++) {
        hp_system_use_batches(refused % 2 == 0);
        assert_int_equal(mlock(ranges[refused].address, ranges[refused].bytes), 0);
        errno = 0;

        assert_int_equal(hp_system->discard_all(ranges, RANGES), refused);

        assert_int_equal(errno, 0);
        for (unsigned index = 0; index < RANGES; index++) {
            assert_true(is_zero(index) == (index < refused));
        }
        teardown(state);
        setup(state);
    }
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(all_ranges_are_discarded_one_by_one),
        SPEC(all_ranges_are_discarded_in_a_batch_if_there_is_one),
        SPEC(the_first_range_that_is_refused_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
