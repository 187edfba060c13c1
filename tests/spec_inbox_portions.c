/* A call that has something else to do works in a portion of what waits in the inbox. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "owner_slots.h"

enum { SLOT_BYTES = 8192, SLAB_SLOTS = 8, SLABS = 12 };

/* The first chunk of each of the slabs is freed by another thread. */
static void twelve_full_slabs_have_a_note_each(void)
{
    given_chunks(SLOT_BYTES, 0, SLABS * SLAB_SLOTS);
    for (unsigned slab = 0; slab < SLABS; slab++) {
        post(chunks[slab * SLAB_SLOTS]);
    }
}

static unsigned notes_worked_in(void)
{
    unsigned notes = 0;
    for (unsigned slab = 0; slab < SLABS; slab++) {
        notes += slab_of(chunks[slab * SLAB_SLOTS])->free->free_count;
    }
    return notes;
}

static uint64_t waiting_bytes(void)
{
    return atomic_load(&owner->inbox_bytes);
}

static void some_slabs_are_worked_in_and_the_others_at_the_next_calls(void **state)
{
    (void)state;
    twelve_full_slabs_have_a_note_each();

    hp_inbox_drain_some(owner, 5);
    assert_int_equal(notes_worked_in(), 5);
    hp_inbox_drain_some(owner, 5);
    assert_int_equal(notes_worked_in(), 10);
    hp_inbox_drain_some(owner, 5);
    assert_int_equal(notes_worked_in(), SLABS);
}

static void the_inbox_tells_of_news_until_all_is_worked_in(void **state)
{
    (void)state;
    twelve_full_slabs_have_a_note_each();

    hp_inbox_drain_some(owner, SLABS - 1);
    assert_true(hp_inbox_has_news(owner));
    assert_int_equal(waiting_bytes(), SLABS * SLOT_BYTES);
    hp_inbox_drain_some(owner, 1);

    assert_false(hp_inbox_has_news(owner));
}

static void what_was_worked_in_does_not_wait_any_more(void **state)
{
    (void)state;
    twelve_full_slabs_have_a_note_each();

    hp_inbox_drain_some(owner, 5);
    assert_int_equal(hp_inbox_waiting_bytes(owner), (SLABS - 5) * SLOT_BYTES);
    hp_inbox_drain_some(owner, 5);
    assert_int_equal(hp_inbox_waiting_bytes(owner), (SLABS - 10) * SLOT_BYTES);
    hp_inbox_drain(owner);

    assert_int_equal(hp_inbox_waiting_bytes(owner), 0);
}

static void what_is_posted_meanwhile_waits_behind_what_was_taken(void **state)
{
    (void)state;
    twelve_full_slabs_have_a_note_each();
    hp_inbox_drain_some(owner, SLABS - 1);
    const void *late = chunks[(SLABS - 1) * SLAB_SLOTS + 1];

    post(late); /* of the slab whose first note was worked in first: the newest */
    hp_inbox_drain_some(owner, SLABS);
    assert_int_equal(notes_worked_in(), SLABS);
    assert_int_equal(waiting_bytes(), SLOT_BYTES);
    hp_inbox_drain_some(owner, SLABS);

    assert_int_equal(notes_worked_in(), SLABS + 1);
    assert_int_equal(waiting_bytes(), 0);
}

static void another_note_of_a_slab_that_was_taken_is_worked_in_with_the_first(void **state)
{
    (void)state;
    twelve_full_slabs_have_a_note_each();
    hp_inbox_drain_some(owner, 1);

    post(chunks[1]); /* of the oldest slab, which comes last */
    hp_inbox_drain_some(owner, SLABS);

    assert_int_equal(notes_worked_in(), SLABS + 1);
    assert_true(hp_stack_is_empty(&owner->inbox));
}

static void a_whole_drain_finds_what_was_taken_and_what_came_since(void **state)
{
    (void)state;
    twelve_full_slabs_have_a_note_each();
    hp_inbox_drain_some(owner, 3);
    post(chunks[(SLABS - 1) * SLAB_SLOTS + 1]);

    hp_inbox_drain(owner);

    assert_int_equal(notes_worked_in(), SLABS + 1);
    assert_int_equal(waiting_bytes(), 0);
}

static void a_refill_works_in_a_portion_if_its_class_has_a_free_slot(void **state)
{
    (void)state;
    twelve_full_slabs_have_a_note_each();

    hp_inbox_drain_for(owner, hp_class_of(SLOT_BYTES));

    assert_int_equal(notes_worked_in(), HP_INBOX_PORTION_SLABS);
}

static void it_works_in_all_before_its_class_gets_another_slab(void **state)
{
    (void)state;
    twelve_full_slabs_have_a_note_each();

    hp_inbox_drain_for(owner, hp_class_of(64));

    assert_int_equal(notes_worked_in(), SLABS);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, owner_setup, owner_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(some_slabs_are_worked_in_and_the_others_at_the_next_calls),
        SPEC(the_inbox_tells_of_news_until_all_is_worked_in),
        SPEC(what_was_worked_in_does_not_wait_any_more),
        SPEC(what_is_posted_meanwhile_waits_behind_what_was_taken),
        SPEC(another_note_of_a_slab_that_was_taken_is_worked_in_with_the_first),
        SPEC(a_whole_drain_finds_what_was_taken_and_what_came_since),
        SPEC(a_refill_works_in_a_portion_if_its_class_has_a_free_slot),
        SPEC(it_works_in_all_before_its_class_gets_another_slab),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
