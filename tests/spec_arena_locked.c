/*
 * The arena under mlockall(MCL_FUTURE): a new range is resident at once, so no reserves are taken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena_runs.h"
#include "support/fake_system.h"

static void regions_do_not_grow_when_the_first_was_born_resident(void **state)
{
    (void)state;
    fake.born_resident = true;
    for (unsigned number = 0; number < 4; number++) {
        given_full_regions();

        hp_run run = given_a_run(MIB);

        assert_int_equal(run.region->number, number);
        assert_int_equal(region_bytes(number), 4 * MIB);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(regions_do_not_grow_when_the_first_was_born_resident,
                                        fake_system_setup, fake_system_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
