/*
 * The depot: packs of seven chunks between the lines of threads and the slabs of an owner.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "depot_packs.h"
#include "support/capture.h"

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
