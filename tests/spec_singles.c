/*
 * Singles: chunks of 8 to 256 KiB in the depot of an owner, how they are counted and where they go.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena/arena.h"
#include "arena/large.h"
#include "owner/retire.h"
#include "owner/singles.h"
#include "owner_slots.h"

enum { RUN_BYTES = 64 << 10, SLOT_BYTES = 16 << 10, PASS_MS = 500, PORTIONS = 64 };

static hp_depot_hand hand;
static hp_singles_room room;

static int singles_setup(void **state)
{
    hand = (hp_depot_hand){0};
    room = (hp_singles_room){0};
    int failed = owner_setup(state);
    owner->single_bound_bytes = 4 << 20;
    return failed;
}

static int singles_teardown(void **state)
{
    hp_depot_empty(owner);
    hp_depot_empty_hand(owner, &hand);
    hp_singles_empty_room(owner, &room);
    assert_int_equal(owner->single_bytes, 0);
    return owner_teardown(state);
}

/* The chunk waits in the depot; false: there is no room for it. */
static bool keep(void *chunk, hp_entry entry, size_t bytes)
{
    unsigned size_class = hp_class_of(bytes);
    uint32_t class_bytes = hp_pack_bytes(size_class);
    if ((room.bytes < class_bytes && !hp_singles_get_room(owner, &room, class_bytes)) ||
        !hp_depot_fill_hand(owner, &hand, 0)) {
        return false;
    }
    room.bytes -= class_bytes;
    hp_pack *pack = hp_depot_hand_out(&hand);
    *hp_single_of(pack) = (hp_single){.chunk = chunk, .entry = entry, .bytes = class_bytes};
    hp_depot_push(owner, size_class, pack);
    return true;
}

static char *given_a_run_that_waits(void)
{
    bool zeroed;
    char *run = hp_large_allocate(RUN_BYTES, 1, &zeroed);
    hp_entry entry = hp_map_get(run);
    assert_true(hp_large_retire(entry, run));
    assert_true(keep(run, entry, RUN_BYTES));
    return run;
}

static void *given_a_slot_that_waits(void)
{
    bool zeroed;
    void *slot = hp_owner_take_one(owner, hp_class_of(SLOT_BYTES), &zeroed);
    assert_true(hp_slab_note_back(slab_of(slot), index_of(slot)));
    assert_true(keep(slot, hp_entry_of(HP_KIND_SLAB, slab_of(slot)), SLOT_BYTES));
    return slot;
}

static uint64_t free_pages(void)
{
    uint64_t pages = 0;
    const hp_region *region;
    for (uint32_t number = 0; (region = hp_arena_region(number)) != NULL; number++) {
        pages += region->free_pages;
    }
    return pages;
}

/* ---- the count ---- */

static void what_waits_and_what_threads_may_add_is_counted_up_to_the_bound(void **state)
{
    (void)state;
    unsigned runs = 0;
    while (room.bytes >= RUN_BYTES || hp_singles_get_room(owner, &room, RUN_BYTES)) {
        given_a_run_that_waits();
        runs++;
    }

    assert_int_equal(runs * (uint64_t)RUN_BYTES, owner->single_bound_bytes);
    assert_int_equal(owner->single_bytes, owner->single_bound_bytes);
    assert_int_equal(owner->depot_bytes, hand.room_bytes);
    assert_null(hp_singles_check(owner));
}

static void room_comes_in_steps_and_what_is_too_much_goes_back(void **state)
{
    (void)state;
    assert_true(hp_singles_get_room(owner, &room, 1));
    uint32_t most_bytes = room.most_bytes;
    assert_in_range(most_bytes, RUN_BYTES, owner->single_bound_bytes / 4);
    assert_int_equal(room.bytes, most_bytes / 2);

    assert_true(hp_singles_get_room(owner, &room, 2 * most_bytes));
    hp_singles_ease_room(owner, &room);

    assert_int_equal(room.bytes, most_bytes / 2);
    assert_int_equal(owner->single_bytes, most_bytes / 2);
}

static void all_owners_together_keep_8_mib_in_equal_shares_of_at_least_1_mib(void **state)
{
    (void)state;
    assert_int_equal(hp_singles_share_bytes(1), 8 << 20);
    assert_int_equal(hp_singles_share_bytes(4), 2 << 20);
    assert_int_equal(hp_singles_share_bytes(1000), 1 << 20);
}

static void in_a_forked_child_only_the_callers_room_counts(void **state)
{
    (void)state;
    given_a_run_that_waits();
    owner->single_bytes += 1 << 20; /* of threads that are gone */

    hp_singles_recount(owner, room.bytes);

    assert_int_equal(owner->single_bytes, RUN_BYTES + room.bytes);
}

/* ---- where they go ---- */

static void an_emptied_depot_has_slots_back_in_their_slab_and_runs_in_their_region(void **state)
{
    (void)state;
    void *slot = given_a_slot_that_waits();
    given_a_run_that_waits();
    uint64_t pages = free_pages();

    hp_depot_empty(owner);

    assert_int_equal(slab_of(slot)->free->free_count, slab_of(slot)->slot_count);
    assert_int_equal(free_pages(), pages + RUN_BYTES / hp_page_bytes());
    assert_int_equal(owner->single_bytes, room.bytes);
}

static void runs_alone_can_be_freed_without_the_claim(void **state)
{
    (void)state;
    given_a_slot_that_waits();
    given_a_run_that_waits();
    assert_true(hp_singles_have_runs(owner));
    hp_claim_release(&owner->claim);
    uint64_t pages = free_pages();

    hp_singles_free_runs(owner);

    assert_true(hp_claim_try(&owner->claim));
    assert_false(hp_singles_have_runs(owner));
    assert_int_equal(free_pages(), pages + RUN_BYTES / hp_page_bytes());
    assert_int_equal(hp_depot_count(owner, hp_class_of(SLOT_BYTES)), 1);
}

static void a_slab_is_opened_on_runs_that_wait_before_fresh_pages_are_touched(void **state)
{
    (void)state;
    bool zeroed;
    assert_non_null(hp_owner_take_one(owner, hp_class_of(SLOT_BYTES), &zeroed));
    hp_slab *first = owner->classes[hp_class_of(SLOT_BYTES)].first;
    hp_arena_purge();
    for (unsigned run = 0; run < 16; run++) {
        given_a_run_that_waits();
    }

    while (owner->classes[hp_class_of(SLOT_BYTES)].first == first) {
        hp_owner_take_one(owner, hp_class_of(SLOT_BYTES), &zeroed);
    }
    hp_owner_take_one(owner, hp_class_of(SLOT_BYTES), &zeroed);

    assert_false(hp_singles_have_runs(owner));
    assert_false(zeroed);
}

static void what_was_not_used_for_a_pass_goes(void **state)
{
    (void)state;
    void *slot = given_a_slot_that_waits();
    given_a_run_that_waits();
    uint64_t pages = free_pages();
    hp_claim_release(&owner->claim);
    uint32_t now_ms = 100000;
    assert_int_not_equal(hp_owner_look(owner, now_ms, PASS_MS, PORTIONS), HP_LOOK_DONE);
    assert_int_equal(free_pages(), pages);

    hp_owner_look(owner, now_ms + PASS_MS, PASS_MS, PORTIONS);

    assert_true(hp_claim_try(&owner->claim));
    assert_int_equal(free_pages(), pages + RUN_BYTES / hp_page_bytes());
    assert_int_equal(slab_of(slot)->free->free_count, slab_of(slot)->slot_count);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, singles_setup, singles_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(what_waits_and_what_threads_may_add_is_counted_up_to_the_bound),
        SPEC(room_comes_in_steps_and_what_is_too_much_goes_back),
        SPEC(all_owners_together_keep_8_mib_in_equal_shares_of_at_least_1_mib),
        SPEC(in_a_forked_child_only_the_callers_room_counts),
        SPEC(an_emptied_depot_has_slots_back_in_their_slab_and_runs_in_their_region),
        SPEC(runs_alone_can_be_freed_without_the_claim),
        SPEC(a_slab_is_opened_on_runs_that_wait_before_fresh_pages_are_touched),
        SPEC(what_was_not_used_for_a_pass_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
