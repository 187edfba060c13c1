/*
 * The depot: packs of seven chunks between the lines of threads and the slabs of an owner.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "owner_slots.h"
#include "support/capture.h"

static hp_depot_hand hand;

static int depot_setup(void **state)
{
    hand = (hp_depot_hand){0};
    return owner_setup(state);
}

static int depot_teardown(void **state)
{
    hp_depot_empty_hand(owner, &hand);
    return owner_teardown(state);
}

/* A pack of seven fresh chunks in the depot; NULL: there is no room for it. */
static hp_pack *given_a_pack(size_t bytes)
{
    unsigned size_class = hp_class_of(bytes);
    if (!hp_depot_fill_hand(owner, &hand, hp_pack_bytes(size_class))) {
        return NULL;
    }
    hp_pack *pack = hp_depot_hand_out(&hand);
    hand.room_bytes -= hp_pack_bytes(size_class);
    given_chunks(bytes, 0, HP_LINE_CHUNKS);
    for (unsigned index = 0; index < HP_LINE_CHUNKS; index++) {
        pack->chunks[index] = chunks[index];
    }
    hp_depot_push(owner, size_class, pack);
    return pack;
}

/* The pack of the class that is on top goes into the hand; its chunks go into their slabs. */
static void take_a_pack(size_t bytes)
{
    unsigned size_class = hp_class_of(bytes);
    hp_pack *pack = hp_depot_pop(owner, size_class);
    hp_depot_free_chunks(owner, pack->chunks, HP_LINE_CHUNKS);
    hp_depot_keep(&hand, pack);
    hand.room_bytes += hp_pack_bytes(size_class);
}

static void the_last_pack_that_came_is_the_first_to_go(void **state)
{
    (void)state;
    assert_null(hp_depot_pop(owner, hp_class_of(64)));
    hp_pack *first = given_a_pack(64);
    hp_pack *second = given_a_pack(64);

    assert_ptr_equal(hp_depot_pop(owner, hp_class_of(64)), second);
    assert_ptr_equal(hp_depot_pop(owner, hp_class_of(64)), first);
    assert_null(hp_depot_pop(owner, hp_class_of(64)));
}

static void a_full_depot_takes_no_more_packs_but_of_a_smaller_class(void **state)
{
    (void)state;
    owner->depot_bound_bytes = 100 << 10;
    unsigned packs = 0;
    while (given_a_pack(1024) != NULL) {
        packs++;
    }

    assert_in_range(packs * hp_pack_bytes(hp_class_of(1024)), 90 << 10, 100 << 10);
    assert_int_equal(hp_depot_count(owner, hp_class_of(1024)), packs);
    assert_non_null(given_a_pack(256));
}

static void each_thread_of_the_owner_may_have_room_in_its_hand_beyond_that(void **state)
{
    (void)state;
    owner->depot_bound_bytes = 0;
    assert_null(given_a_pack(64));

    owner->bound_threads = 1;

    assert_non_null(given_a_pack(64));
    assert_in_range(owner->depot_bytes, 1, HP_HAND_MIN_BYTES);
    owner->bound_threads = 0;
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

static void an_emptied_hand_has_nothing_and_loses_nothing(void **state)
{
    (void)state;
    given_a_pack(64);
    take_a_pack(64);
    uint16_t name = hand.packs[0];

    hp_depot_empty_hand(owner, &hand);

    assert_int_equal(hand.pack_count + hand.room_bytes, 0);
    assert_int_equal(owner->depot_bytes, 0);
    assert_true(hp_depot_fill_hand(owner, &hand, 0));
    assert_int_equal(hand.packs[0], name);
}

static void in_a_forked_child_only_the_room_in_the_callers_hand_counts(void **state)
{
    (void)state;
    given_a_pack(64);
    owner->depot_bytes += 1 << 20; /* of threads that are gone */

    hp_depot_recount(owner, hand.room_bytes);

    assert_int_equal(owner->depot_bytes, hp_pack_bytes(hp_class_of(64)) + hand.room_bytes);
}

static void what_a_fork_missed_does_not_turn_the_count_over(void **state)
{
    (void)state;
    hp_depot_fill_hand(owner, &hand, 64);
    hp_depot_recount(owner, 0);

    hp_depot_empty_hand(owner, &hand);

    assert_int_equal(owner->depot_bytes, 0);
}

static void an_emptied_depot_has_every_chunk_back_in_its_slab(void **state)
{
    (void)state;
    given_a_pack(64);
    given_a_pack(64);
    given_a_pack(1008);
    assert_null(hp_depot_check(owner));

    hp_depot_empty(owner);

    hp_depot_empty_hand(owner, &hand);
    assert_int_equal(owner->depot_bytes, 0);
    assert_int_equal(slabs_of(64)->first->free->free_count, slabs_of(64)->first->slot_count);
    assert_int_equal(slabs_of(1008)->first->free->free_count, slabs_of(1008)->first->slot_count);
}

static void a_chunk_of_another_owner_becomes_a_note_for_it(void **state)
{
    (void)state;
    hp_owner *other = owner;
    given_chunks(64, 0, 1);
    hp_owner *mine = hp_owners_claim_any(NULL);
    assert_ptr_not_equal(mine, other);

    hp_depot_free_chunk(mine, chunks[0]);

    assert_int_equal(slab_of(chunks[0])->pending, 1);
    assert_int_equal(atomic_load(&other->inbox_bytes), 64);
    hp_inbox_drain(other);
    assert_int_equal(slab_of(chunks[0])->free->free_count, slab_of(chunks[0])->slot_count);
}

static void a_chunk_that_is_free_already_is_reported(void **state)
{
    (void)state;
    given_chunks(64, 0, 2);
    hp_depot_free_chunk(owner, chunks[0]);
    char wanted[80];
    snprintf(wanted, sizeof wanted, "hepta: free(): double free of %p\n", chunks[0]);

    capture_begin();
    hp_depot_free_chunk(owner, chunks[0]);

    assert_string_equal(capture_end(), wanted);
    assert_int_equal(slab_of(chunks[1])->free->free_count, slab_of(chunks[1])->slot_count - 1);
}

static void what_is_no_slot_and_what_is_in_no_slab_any_more_is_reported(void **state)
{
    (void)state;
    given_chunks(64, 0, 1);
    char *inside = (char *)chunks[0] + 16;
    char wanted[160];
    snprintf(wanted, sizeof wanted,
             "hepta: free(): invalid pointer %p\nhepta: free(): double free of %p\n",
             (void *)inside, (void *)wanted);

    capture_begin();
    hp_depot_free_chunk(owner, inside);
    hp_depot_free_chunk(owner, wanted);

    assert_string_equal(capture_end(), wanted);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, depot_setup, depot_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(the_last_pack_that_came_is_the_first_to_go),
        SPEC(a_full_depot_takes_no_more_packs_but_of_a_smaller_class),
        SPEC(all_depots_together_hold_1_mib_in_equal_shares_of_at_least_64_kib),
        SPEC(each_thread_of_the_owner_may_have_room_in_its_hand_beyond_that),
        SPEC(a_hand_with_too_much_room_gives_half_of_it_back),
        SPEC(a_hand_with_too_many_packs_gives_a_bundle_back_which_serves_another),
        SPEC(an_emptied_hand_has_nothing_and_loses_nothing),
        SPEC(in_a_forked_child_only_the_room_in_the_callers_hand_counts),
        SPEC(what_a_fork_missed_does_not_turn_the_count_over),
        SPEC(an_emptied_depot_has_every_chunk_back_in_its_slab),
        SPEC(a_chunk_of_another_owner_becomes_a_note_for_it),
        SPEC(a_chunk_that_is_free_already_is_reported),
        SPEC(what_is_no_slot_and_what_is_in_no_slab_any_more_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
