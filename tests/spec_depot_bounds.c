/*
 * What a depot may hold: the share of its owner, a part of what the owner's slabs take, and room in hands.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "depot_packs.h"

static void given_threads(uint32_t threads)
{
    owner->bound_threads = threads;
}

/* The number of packs of 1,024 bytes that the depot takes when the owner's slabs take so much. */
static unsigned packs_until_full(uint64_t slab_bytes)
{
    unsigned packs = 0;
    do {
        owner->slab_bytes = slab_bytes;
        packs++;
    } while (given_a_pack(1024) != NULL);
    return packs - 1;
}

static void a_full_depot_takes_no_more_packs_but_of_a_smaller_class(void **state)
{
    (void)state;
    owner->depot_bound_bytes = 100 << 10;

    unsigned packs = packs_until_full(0);

    assert_in_range(packs * hp_pack_bytes(hp_class_of(1024)), 90 << 10, 100 << 10);
    assert_int_equal(hp_depot_count(owner, hp_class_of(1024)), packs);
    assert_non_null(given_a_pack(256));
}

static void a_quarter_of_what_the_owners_slabs_take_comes_on_top_of_its_share(void **state)
{
    (void)state;
    owner->depot_bound_bytes = 100 << 10;

    unsigned packs = packs_until_full(400 << 10);

    assert_in_range(packs * hp_pack_bytes(hp_class_of(1024)), 180 << 10, 200 << 10);
}

static void but_not_for_medium_classes(void **state)
{
    (void)state;
    owner->depot_bound_bytes = 100 << 10;
    packs_until_full(400 << 10);
    assert_false(hp_depot_takes_medium(owner));

    while (owner->depot_bytes > 100 << 10) {
        take_a_pack(1024);
        hp_depot_empty_hand(owner, &hand);
    }

    assert_true(hp_depot_takes_medium(owner));
}

static void expect_full_at(uint32_t threads, uint32_t part_bytes)
{
    given_threads(threads);
    owner->depot_bound_bytes = 0;
    owner->slab_bytes = (uint64_t)1 << 40;
    owner->depot_bytes = part_bytes + threads * HP_HAND_MIN_BYTES;

    assert_null(given_a_pack(64));

    owner->depot_bytes -= part_bytes;
    assert_non_null(given_a_pack(64));
}

static void but_no_more_than_1_mib_where_one_thread_or_two_have_the_owner(void **state)
{
    (void)state;
    expect_full_at(HP_CROWD_THREADS - 1, 1 << 20);
}

static void and_16_mib_where_a_crowd_shares_it(void **state)
{
    (void)state;
    expect_full_at(HP_CROWD_THREADS, 16 << 20);
}

static void after_all_was_wanted_back_it_gets_no_part_of_its_slabs_for_two_passes(void **state)
{
    (void)state;
    owner->depot_bound_bytes = 0;
    owner->slab_bytes = (uint64_t)1 << 40;
    hp_owners_trim_all();
    assert_null(given_a_pack(64));
    a_pass_goes_by(100000);
    assert_null(given_a_pack(64));

    a_pass_goes_by(101000);

    assert_non_null(given_a_pack(64));
}

static void its_slabs_are_counted_from_open_to_close(void **state)
{
    (void)state;
    uint64_t before = owner->slab_bytes;
    given_chunks(1008, 0, 1);

    assert_int_equal(owner->slab_bytes, before + HP_SMALL_SLAB_BYTES);

    put(chunks[0]);
    hp_owner_close_empty(owner, hp_class_of(1008));
    assert_int_equal(owner->slab_bytes, before);
}

static void all_depots_together_hold_1_mib_in_equal_shares_of_at_least_64_kib(void **state)
{
    (void)state;
    assert_int_equal(hp_depot_share_bytes(1), 1 << 20);
    assert_int_equal(hp_depot_share_bytes(8), 128 << 10);
    assert_int_equal(hp_depot_share_bytes(1000), 64 << 10);

    uint32_t owners = 0;
    for (hp_owner *each = hp_owners_first(); each != NULL; each = hp_owners_next(each)) {
        owners++;
    }
    assert_int_equal(owner->depot_bound_bytes, hp_depot_share_bytes(owners));
}

static void each_thread_of_the_owner_may_have_room_in_its_hand_beyond_that(void **state)
{
    (void)state;
    owner->depot_bound_bytes = 0;
    assert_null(given_a_pack(64));

    given_threads(1);

    assert_non_null(given_a_pack(64));
    assert_in_range(owner->depot_bytes, 1, HP_HAND_MIN_BYTES);
}

static void a_hand_with_too_much_room_gives_half_of_it_back(void **state)
{
    (void)state;
    owner->depot_bound_bytes = 64 << 10;
    hp_depot_fill_hand(owner, &hand, 0);
    const uint32_t most = (64 << 10) / 2;
    hand.room_bytes = most + 1;
    owner->depot_bytes = most + 1;
    assert_true(hp_depot_hand_is_full(&hand));

    hp_depot_ease_hand(owner, &hand);

    assert_int_equal(hand.room_bytes, most / 2);
    assert_int_equal(owner->depot_bytes, most / 2);
    assert_false(hp_depot_hand_is_full(&hand));
}

static void a_hand_with_too_many_packs_gives_a_bundle_back_which_serves_another(void **state)
{
    (void)state;
    while (hand.pack_count < HP_HAND_PACKS) {
        hp_depot_keep(&hand, hp_pack_begin());
    }

    hp_depot_ease_hand(owner, &hand);

    assert_int_equal(hand.pack_count, HP_HAND_PACKS - HP_BUNDLE_PACKS);
    assert_int_equal(hp_pack_count(&owner->spare_packs), 1);
    hp_depot_hand other = {0};
    assert_true(hp_depot_fill_hand(owner, &other, 0));
    assert_int_equal(other.pack_count, HP_BUNDLE_PACKS);
    assert_int_equal(other.packs[0], hand.packs[hand.pack_count]);
    hp_depot_empty_hand(owner, &other);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, depot_setup, depot_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_full_depot_takes_no_more_packs_but_of_a_smaller_class),
        SPEC(a_quarter_of_what_the_owners_slabs_take_comes_on_top_of_its_share),
        SPEC(but_not_for_medium_classes),
        SPEC(but_no_more_than_1_mib_where_one_thread_or_two_have_the_owner),
        SPEC(and_16_mib_where_a_crowd_shares_it),
        SPEC(after_all_was_wanted_back_it_gets_no_part_of_its_slabs_for_two_passes),
        SPEC(its_slabs_are_counted_from_open_to_close),
        SPEC(all_depots_together_hold_1_mib_in_equal_shares_of_at_least_64_kib),
        SPEC(each_thread_of_the_owner_may_have_room_in_its_hand_beyond_that),
        SPEC(a_hand_with_too_much_room_gives_half_of_it_back),
        SPEC(a_hand_with_too_many_packs_gives_a_bundle_back_which_serves_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
