/* All packs there are have been begun. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "owner_slots.h"

static hp_owner *other;

static int setup(void **state)
{
    if (owner_setup(state) != 0) {
        return 1;
    }
    other = owner;
    owner = hp_owners_claim_any(NULL);
    return owner == NULL || owner == other;
}

static void no_pack_is_left_that_was_never_used(void)
{
    while (hp_pack_begin() != NULL) {
    }
}

static void an_owner_without_packs_takes_those_that_another_one_has_to_spare(void **state)
{
    (void)state;
    hp_depot_hand hand = {0};
    assert_true(hp_depot_fill_hand(other, &hand, 0));
    hp_depot_empty_hand(other, &hand);
    no_pack_is_left_that_was_never_used();

    assert_true(hp_depot_fill_hand(owner, &hand, 0));

    assert_int_equal(hand.pack_count, 1);
    assert_int_equal(hp_pack_count(&other->spare_packs), 0);
    hp_depot_empty_hand(owner, &hand);
}

static void where_no_owner_has_any_a_line_does_not_become_a_pack(void **state)
{
    (void)state;
    hp_depot_hand held = {0};
    hp_depot_hand hand = {0};
    no_pack_is_left_that_was_never_used();
    while (hp_depot_fill_hand(owner, &held, 0)) {
        held.pack_count = 0; /* out of reach */
    }

    assert_false(hp_depot_fill_hand(owner, &hand, 0));

    assert_int_equal(hand.pack_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            an_owner_without_packs_takes_those_that_another_one_has_to_spare, setup,
            owner_teardown),
        cmocka_unit_test_setup_teardown(where_no_owner_has_any_a_line_does_not_become_a_pack, setup,
                                        owner_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
