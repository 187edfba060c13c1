/*
 * What the purger does about an owner that somebody has claimed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "owner/owners.h"
#include "retire_looks.h"

/* Whoever holds it may have lost the processor: nobody rings again for what is watched already. */
static void an_owner_whose_claim_is_taken_is_come_back_for_however_long_that_is(void **state)
{
    (void)state;
    given_packs(1);
    assert_true(hp_claim_try(&owner->claim));
    for (unsigned looks = 0; looks < 1000; looks++) {
        assert_true(look());
    }
    hp_claim_release(&owner->claim);

    assert_true(look());
    look();

    assert_int_equal(packs(), 0);
}

/* Its claim is that of a thread which is not there; or it was the caller's, in the middle of a call. */
static void in_a_forked_child_an_owner_that_is_claimed_is_left_alone_until_it_is_used(void **state)
{
    (void)state;
    given_packs(1);
    assert_true(hp_claim_try(&owner->claim));

    hp_owners_keep_only(NULL, 0, 0);

    assert_false(look());
    hp_claim_release(&owner->claim);
    given_packs(1);
    assert_true(look());
    assert_true(look());
    look();
    assert_int_equal(packs(), 0);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, retire_setup, retire_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(an_owner_whose_claim_is_taken_is_come_back_for_however_long_that_is),
        SPEC(in_a_forked_child_an_owner_that_is_claimed_is_left_alone_until_it_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
