/*
 * The inbox, one step after the other. Every order of the steps of several threads is in
 * spec_interleave.c, threads at full speed are in spec_inbox_threads.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "owner_slots.h"
#include "support/capture.h"

static uint64_t inbox_bytes(void)
{
    return atomic_load(&owner->inbox_bytes);
}

static uint32_t free_slots(const void *chunk)
{
    return slab_of(chunk)->free->free_count;
}

/* How many slabs lie in the inbox; they are put back in another order. */
static unsigned count_of_slabs_in_inbox(void)
{
    unsigned count = 0;
    hp_stack_node *next;
    for (hp_stack_node *link = hp_stack_take_all(&owner->inbox); link != NULL; link = next) {
        next = hp_stack_next(link);
        hp_stack_push(&owner->inbox, link);
        count++;
    }
    return count;
}

/* ---- post and drain ---- */

static void a_note_waits_until_the_owner_drains_its_inbox(void **state)
{
    (void)state;
    given_chunks(64, 0, 10);

    post(chunks[4]);
    assert_int_equal(free_slots(chunks[4]), HP_GRAIN_BYTES / 64 - 10);
    assert_true(hp_inbox_has_news(owner));
    hp_inbox_drain(owner);

    assert_int_equal(free_slots(chunks[4]), HP_GRAIN_BYTES / 64 - 9);
    assert_false(hp_inbox_has_news(owner));
    assert_int_equal(slab_of(chunks[4])->pending, 0);
    given_chunks(64, 10, 1);
    assert_ptr_equal(chunks[10], chunks[4]);
}

static void notes_for_several_words_put_the_slab_into_the_inbox_once(void **state)
{
    (void)state;
    given_chunks(64, 0, 200);

    post(chunks[0]);
    post(chunks[1]);
    post(chunks[70]);
    post(chunks[199]);

    assert_int_equal(count_of_slabs_in_inbox(), 1);
    assert_int_equal(slab_of(chunks[0])->pending, 1 | 1 << 1 | 1 << 3);
    hp_inbox_drain(owner);
    assert_int_equal(free_slots(chunks[0]), HP_GRAIN_BYTES / 64 - 196);
}

static void notes_for_several_slabs_are_worked_in_together(void **state)
{
    (void)state;
    given_chunks(1024, 0, 200);
    for (unsigned index = 0; index < 200; index++) {
        post(chunks[index]);
    }
    assert_int_equal(count_of_slabs_in_inbox(), 4);

    hp_inbox_drain(owner);

    assert_int_equal(count_of_slabs_in_inbox(), 0);
    assert_int_equal(slabs_of(1024)->slab_count, 1); /* the others went back to the arena */
}

static void one_note_may_free_a_whole_word(void **state)
{
    (void)state;
    given_chunks(64, 0, 64);

    hp_inbox_post(slab_of(chunks[0]), 0, ~(uint64_t)0);
    assert_int_equal(inbox_bytes(), 64 * 64);
    hp_inbox_drain(owner);

    assert_int_equal(free_slots(chunks[0]), HP_GRAIN_BYTES / 64);
}

static void an_empty_inbox_is_drained_without_harm(void **state)
{
    (void)state;
    hp_inbox_drain(owner);
    hp_inbox_drain(owner);

    assert_int_equal(inbox_bytes(), 0);
}

/* ---- the limit ---- */

static void notes_of_more_than_256_kib_make_the_freer_drain_an_open_owner(void **state)
{
    (void)state;
    given_chunks(32768, 0, 9);
    hp_claim_release(&owner->claim);
    for (unsigned index = 0; index < 8; index++) {
        post(chunks[index]);
    }
    assert_int_equal(inbox_bytes(), 256 << 10);

    post(chunks[8]);

    assert_int_equal(inbox_bytes(), 0);
    assert_false(hp_claim_is_taken(&owner->claim));
    assert_true(hp_claim_try(&owner->claim));
    assert_int_equal(count_of_slabs_in_inbox(), 0);
}

static void notes_for_a_claimed_owner_wait_however_many_they_are(void **state)
{
    (void)state;
    given_chunks(32768, 0, 12);

    for (unsigned index = 0; index < 12; index++) {
        post(chunks[index]);
    }

    assert_int_equal(inbox_bytes(), 12 << 15);
    hp_inbox_drain(owner);
    assert_int_equal(inbox_bytes(), 0);
}

/* ---- a late push ---- */

static void a_slab_that_was_pushed_without_news_is_passed_over(void **state)
{
    (void)state;
    given_chunks(8192, 0, 8);
    hp_slab *slab = slab_of(chunks[0]);
    hp_owner_put_word(owner, slab, 0, 0xff);
    hp_owner_trim(owner);
    given_chunks(16384, 0, 1); /* the record serves another class by now */
    assert_ptr_equal(slab_of(chunks[0]), slab);

    atomic_fetch_or(&slab->pending, 1);
    hp_stack_push(&owner->inbox, &slab->inbox_link);
    hp_inbox_drain(owner);

    assert_int_equal(slab->pending, 0);
    assert_int_equal(slab->free->free_count, slab->slot_count - 1);
}

/* ---- freed twice ---- */

static const char *line_about(const void *chunk)
{
    static char line[80];
    snprintf(line, sizeof line, "hepta: free(): double free of %p\n", chunk);
    return line;
}

static void two_notes_of_the_same_slot_are_reported_at_the_second(void **state)
{
    (void)state;
    given_chunks(64, 0, 3);
    post(chunks[1]);

    capture_begin();
    post(chunks[1]);

    assert_string_equal(capture_end(), line_about(chunks[1]));
    hp_inbox_drain(owner);
    assert_int_equal(free_slots(chunks[0]), HP_GRAIN_BYTES / 64 - 2);
}

static void a_note_of_a_slot_that_is_free_is_reported_by_the_drain(void **state)
{
    (void)state;
    given_chunks(64, 0, 3);
    assert_true(put(chunks[2]));
    post(chunks[2]);

    capture_begin();
    hp_inbox_drain(owner);

    assert_string_equal(capture_end(), line_about(chunks[2]));
    assert_int_equal(free_slots(chunks[0]), HP_GRAIN_BYTES / 64 - 2);
}

/* ---- free now ---- */

static void a_free_of_an_open_owner_is_done_at_once(void **state)
{
    (void)state;
    given_chunks(8192, 0, 2);
    hp_claim_release(&owner->claim);

    hp_inbox_free_now(slab_of(chunks[1]), index_of(chunks[1]));

    assert_int_equal(free_slots(chunks[0]), 7);
    assert_true(hp_claim_try(&owner->claim));
}

static void a_free_of_a_claimed_owner_becomes_a_note(void **state)
{
    (void)state;
    given_chunks(8192, 0, 2);

    hp_inbox_free_now(slab_of(chunks[1]), index_of(chunks[1]));

    assert_int_equal(free_slots(chunks[0]), 6);
    hp_inbox_drain(owner);
    assert_int_equal(free_slots(chunks[0]), 7);
}

static void a_free_of_a_slot_with_a_note_that_waits_is_reported(void **state)
{
    (void)state;
    given_chunks(8192, 0, 2);
    post(chunks[1]);
    hp_claim_release(&owner->claim);

    capture_begin();
    hp_inbox_free_now(slab_of(chunks[1]), index_of(chunks[1]));

    assert_string_equal(capture_end(), line_about(chunks[1]));
    assert_true(hp_claim_try(&owner->claim));
    assert_int_equal(free_slots(chunks[0]), 7);
}

/* ---- is it free? ---- */

static void a_slot_is_known_to_be_free_by_its_note_or_by_its_bit(void **state)
{
    (void)state;
    given_chunks(8192, 0, 3);
    hp_slab *slab = slab_of(chunks[0]);
    post(chunks[1]);
    put(chunks[2]);

    assert_true(hp_inbox_is_free(slab, index_of(chunks[1])));
    assert_false(hp_inbox_is_free(slab, index_of(chunks[2]))); /* the owner is claimed: unknown */
    hp_claim_release(&owner->claim);
    assert_true(hp_inbox_is_free(slab, index_of(chunks[2])));
    assert_false(hp_inbox_is_free(slab, index_of(chunks[0])));

    assert_true(hp_claim_try(&owner->claim)); /* it was left open */
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, owner_setup, owner_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_note_waits_until_the_owner_drains_its_inbox),
        SPEC(notes_for_several_words_put_the_slab_into_the_inbox_once),
        SPEC(notes_for_several_slabs_are_worked_in_together),
        SPEC(one_note_may_free_a_whole_word),
        SPEC(an_empty_inbox_is_drained_without_harm),
        SPEC(notes_of_more_than_256_kib_make_the_freer_drain_an_open_owner),
        SPEC(notes_for_a_claimed_owner_wait_however_many_they_are),
        SPEC(a_slab_that_was_pushed_without_news_is_passed_over),
        SPEC(two_notes_of_the_same_slot_are_reported_at_the_second),
        SPEC(a_note_of_a_slot_that_is_free_is_reported_by_the_drain),
        SPEC(a_free_of_an_open_owner_is_done_at_once),
        SPEC(a_free_of_a_claimed_owner_becomes_a_note),
        SPEC(a_free_of_a_slot_with_a_note_that_waits_is_reported),
        SPEC(a_slot_is_known_to_be_free_by_its_note_or_by_its_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
