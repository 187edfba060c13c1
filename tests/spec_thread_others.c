/*
 * Frees of other owners' chunks: which stay where they are freed, and which go home.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "thread_lines.h"

static void one_that_shares_a_cache_line_with_others_goes_into_the_outbox(void **state)
{
    (void)state;
    void *own = take(48);
    void *others = given_a_chunk_of_another_owner(48);
    unsigned filled_before = filled(48);

    hp_thread_free_slot(self, slab_of(own), index_of(own));
    hp_thread_free_slot(self, slab_of(others), index_of(others));
    hepta_free(given_a_chunk_of_another_owner(16));

    assert_int_equal(filled(48), filled_before + 1);
    assert_int_equal(filled(16), 0);
    assert_int_equal(self->outbox_room, HP_OUTBOX_BYTES - 48 - 16);
}

static void unless_a_crowd_shares_the_owner_and_so_the_cache_lines(void **state)
{
    (void)state;
    uint32_t threads = atomic_exchange(&mine->bound_threads, HP_CROWD_THREADS);
    void *with_a_call = given_a_chunk_of_another_owner(48);
    unsigned filled_before = filled(48);

    hp_thread_free_slot(self, slab_of(with_a_call), index_of(with_a_call));
    hepta_free(given_a_chunk_of_another_owner(16));

    atomic_store(&mine->bound_threads, threads);
    assert_int_equal(filled(48), filled_before + 1);
    assert_int_equal(filled(16), 1);
    assert_int_equal(self->outbox_room, HP_OUTBOX_BYTES);
}

/* Frees chunks of another owner until one of them goes into the outbox; how many stayed here. */
static unsigned free_others_until_one_goes_home(size_t bytes)
{
    unsigned stayed = 0;
    for (;;) {
        hepta_free(given_a_chunk_of_another_owner(bytes));
        if (self->outbox_room != HP_OUTBOX_BYTES) {
            return stayed;
        }
        stayed++;
    }
}

/* The thread has had chunks of the class, and has none in its line. */
static void given_use_for(size_t bytes)
{
    for (unsigned slots = 0; slots < 4; slots++) {
        take(bytes);
    }
    line_of(bytes)->filled =
        hp_line_empty(hp_class_of(bytes)); /* the test lets go of what is in it */
}

static void a_thread_that_only_frees_anothers_slots_keeps_a_line_of_them(void **state)
{
    (void)state;

    assert_int_equal(free_others_until_one_goes_home(64), HP_LINE_CHUNKS);
    hp_outbox_flush(self);
    assert_int_equal(free_others_until_one_goes_home(4096), 4);
    assert_int_equal(hp_depot_count(mine, hp_class_of(64)), 0);
}

static void one_that_allocates_too_keeps_a_pack_as_well_if_its_owner_has_none(void **state)
{
    (void)state;
    given_use_for(64);
    given_use_for(4096);

    assert_int_equal(free_others_until_one_goes_home(64), 2 * HP_LINE_CHUNKS);
    assert_int_equal(hp_depot_count(mine, hp_class_of(64)), 1);
    hp_outbox_flush(self);
    assert_int_equal(free_others_until_one_goes_home(4096), 4 + 3);
    assert_int_equal(hp_depot_count(mine, hp_class_of(4096)), 1);
}

/* Whoever has the claim may not run for a while, and then packs are all that the owner's threads have. */
static void while_its_owner_is_claimed_it_keeps_all_that_the_depot_has_room_for(void **state)
{
    (void)state;
    given_use_for(64);
    void *chunks[5 * HP_LINE_CHUNKS];
    for (unsigned index = 0; index < 5 * HP_LINE_CHUNKS; index++) {
        chunks[index] = given_a_chunk_of_another_owner(64);
    }
    assert_true(hp_claim_try(&mine->claim));

    for (unsigned index = 0; index < 5 * HP_LINE_CHUNKS; index++) {
        hepta_free(chunks[index]);
    }

    hp_claim_release(&mine->claim);
    assert_int_equal(self->outbox_room, HP_OUTBOX_BYTES);
    assert_int_equal(hp_depot_count(mine, hp_class_of(64)), 4);
    assert_int_equal(free_others_until_one_goes_home(64), 0);
}

static void without_room_in_the_depot_it_keeps_a_line(void **state)
{
    (void)state;
    given_use_for(64);
    uint32_t room = self->hand.room_bytes;
    self->hand.room_bytes = 0;
    mine->depot_bytes += 1 << 30;

    assert_int_equal(free_others_until_one_goes_home(64), HP_LINE_CHUNKS);

    mine->depot_bytes -= 1 << 30;
    self->hand.room_bytes = room;
}

static void anothers_slots_that_come_out_of_the_depot_go_home_when_it_is_emptied(void **state)
{
    (void)state;
    void *others = given_a_chunk_of_another_owner(64);
    hp_slab *slab = slab_of(others);
    uint32_t index = index_of(others);
    hepta_free(others);
    free_others_until_one_goes_home(64);

    hp_thread_flush(self);
    hp_owners_trim_all();

    assert_true(hp_inbox_is_free(slab, index));
    assert_int_equal(hp_depot_count(mine, hp_class_of(64)), 0);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, thread_setup, thread_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(one_that_shares_a_cache_line_with_others_goes_into_the_outbox),
        SPEC(unless_a_crowd_shares_the_owner_and_so_the_cache_lines),
        SPEC(a_thread_that_only_frees_anothers_slots_keeps_a_line_of_them),
        SPEC(one_that_allocates_too_keeps_a_pack_as_well_if_its_owner_has_none),
        SPEC(while_its_owner_is_claimed_it_keeps_all_that_the_depot_has_room_for),
        SPEC(without_room_in_the_depot_it_keeps_a_line),
        SPEC(anothers_slots_that_come_out_of_the_depot_go_home_when_it_is_emptied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
