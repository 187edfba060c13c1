/*
 * What an owner keeps and has not used since the last pass goes back. The clock and the kernel are faked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "platform/purger_bell.h"
#include "retire_looks.h"

/* As a working thread does it. */
static void use_top_pack(void)
{
    unsigned size_class = hp_class_of(BLOCK_BYTES);
    hp_pack *pack = hp_depot_pop(owner, size_class);
    void *first = pack->chunks[0];
    pack->chunks[0] = pack->chunks[1];
    pack->chunks[1] = first;
    hp_depot_push(owner, size_class, pack);
}

static void packs_that_were_not_used_for_a_pass_go_into_their_slabs(void **state)
{
    (void)state;
    given_packs(5);
    assert_true(look());
    assert_int_equal(packs(), 5);

    assert_true(look());

    assert_int_equal(packs(), 0);
}

static void of_a_depot_in_use_the_lower_half_goes(void **state)
{
    (void)state;
    given_packs(8);
    look();
    use_top_pack();

    look();
    assert_int_equal(packs(), 4);
    use_top_pack();
    look();

    assert_int_equal(packs(), 2);
}

static void a_wholly_free_slab_that_was_not_used_for_a_pass_is_closed(void **state)
{
    (void)state;
    assert_true(hp_claim_try(&owner->claim));
    given_chunks(BLOCK_BYTES, 0, 1);
    put(chunks[0]);
    hp_claim_release(&owner->claim);
    assert_true(look());
    assert_int_equal(slabs_of(BLOCK_BYTES)->slab_count, 1);

    look();

    assert_int_equal(slabs_of(BLOCK_BYTES)->slab_count, 0);
    assert_false(look());
}

static void pages_of_an_open_slab_go_back(void **state)
{
    (void)state;
    assert_true(hp_claim_try(&owner->claim));
    given_chunks(BLOCK_BYTES, 0, 1000);
    for (unsigned index = 1; index < 1000; index++) {
        put(chunks[index]);
    }
    hp_claim_release(&owner->claim);
    fake_system_forget();

    assert_true(look());
    assert_int_equal(fake.discards_asked, 0);
    look();

    assert_int_equal(fake.discards_asked, 1);
    assert_int_equal(fake.discarded_bytes, HP_GRAIN_BYTES - hp_page_bytes());
    assert_false(look());
}

static void what_others_freed_is_drained_before_a_pass_is_due(void **state)
{
    (void)state;
    assert_true(hp_claim_try(&owner->claim));
    given_chunks(BLOCK_BYTES, 0, 2);
    hp_claim_release(&owner->claim);
    look();
    hp_slab *slab = slab_of(chunks[0]);
    hp_inbox_post(slab, index_of(chunks[0]) / 64, (uint64_t)1 << (index_of(chunks[0]) & 63));

    assert_int_equal(hp_owner_look(owner, now_ms + 1, PASS_MS, PORTIONS), HP_LOOK_LATER);

    assert_int_equal(atomic_load(&owner->inbox_bytes), 0);
    assert_int_equal(slab->free->free_count, slab->slot_count - 1);
}

static void an_owner_with_nothing_to_come_back_for_is_left_alone(void **state)
{
    (void)state;
    assert_true(hp_claim_try(&owner->claim));
    given_chunks(BLOCK_BYTES, 0, (unsigned)(HP_GRAIN_BYTES / BLOCK_BYTES));
    hp_claim_release(&owner->claim);
    hp_owner_watch(owner);

    assert_false(look());

    assert_false(atomic_load(&owner->watched));
    assert_false(look());
}

static void given_an_owner_that_is_left_alone(void)
{
    an_owner_with_nothing_to_come_back_for_is_left_alone(NULL);
    hp_bell_hear();
}

static void the_first_slot_that_becomes_free_rings_and_the_next_does_not(void **state)
{
    (void)state;
    given_an_owner_that_is_left_alone();
    assert_true(hp_claim_try(&owner->claim));

    put(chunks[0]);
    assert_true(hp_bell_hear());
    put(chunks[1]);
    assert_false(hp_bell_hear());

    hp_claim_release(&owner->claim);
}

static void a_note_from_outside_rings(void **state)
{
    (void)state;
    given_an_owner_that_is_left_alone();

    hp_inbox_post(slab_of(chunks[0]), 0, 1);

    assert_true(hp_bell_hear());
}

static void the_first_pack_for_the_depot_rings_and_the_next_does_not(void **state)
{
    (void)state;
    given_packs(1);
    while (look()) {
    }
    assert_int_equal(packs(), 0);
    hp_bell_hear();

    hp_depot_push(owner, 0, hp_pack_begin());
    assert_true(hp_bell_hear());
    hp_depot_push(owner, 0, hp_depot_pop(owner, 0));
    assert_false(hp_bell_hear());

    hp_depot_pop(owner, 0); /* the test lets go of it */
}

enum { SLABS = 20, SLOTS = 16 };

/* Every second page of so many slabs is free. */
static void given_slabs_with_free_pages(void)
{
    static void *many[SLABS * SLOTS];
    assert_true(hp_claim_try(&owner->claim));
    for (unsigned index = 0; index < SLABS * SLOTS; index++) {
        given_chunks(4096, 0, 1);
        many[index] = chunks[0];
    }
    for (unsigned index = 0; index < SLABS * SLOTS; index++) {
        if (index_of(many[index]) % 2 == 1) {
            put(many[index]);
        }
    }
    hp_claim_release(&owner->claim);
    fake_system_forget();
}

/* A slab whose pages go back ends the portion; the claim is open before the next. */
static void many_slabs_are_seen_in_one_look(void **state)
{
    (void)state;
    given_slabs_with_free_pages();

    look();
    look();

    assert_int_equal(fake.discarded_bytes, SLABS * SLOTS / 2 * 4096);
    assert_false(look());
}

static void a_pass_that_is_under_way_goes_on_where_it_was(void **state)
{
    (void)state;
    given_slabs_with_free_pages();
    look();
    now_ms += PASS_MS;

    assert_int_equal(hp_owner_look(owner, now_ms, PASS_MS, 3), HP_LOOK_SOON);
    assert_int_equal(fake.discarded_bytes, 3 * SLOTS / 2 * 4096);
    assert_int_equal(hp_owner_look(owner, now_ms, PASS_MS, PORTIONS), HP_LOOK_DONE);

    assert_int_equal(fake.discarded_bytes, SLABS * SLOTS / 2 * 4096);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, retire_setup, retire_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(packs_that_were_not_used_for_a_pass_go_into_their_slabs),
        SPEC(of_a_depot_in_use_the_lower_half_goes),
        SPEC(a_wholly_free_slab_that_was_not_used_for_a_pass_is_closed),
        SPEC(pages_of_an_open_slab_go_back),
        SPEC(what_others_freed_is_drained_before_a_pass_is_due),
        SPEC(an_owner_with_nothing_to_come_back_for_is_left_alone),
        SPEC(the_first_slot_that_becomes_free_rings_and_the_next_does_not),
        SPEC(a_note_from_outside_rings),
        SPEC(the_first_pack_for_the_depot_rings_and_the_next_does_not),
        SPEC(many_slabs_are_seen_in_one_look),
        SPEC(a_pass_that_is_under_way_goes_on_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
