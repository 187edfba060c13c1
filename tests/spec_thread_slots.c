/*
 * Slots that go past a thread's lines: which owner they come from, where a freed one goes, and what
 * becomes of a thread whose owner's claim is taken for ever.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "thread_lines.h"

static hp_slab *taken_slab(hp_thread *record, size_t bytes)
{
    bool zeroed;
    void *chunk = hp_thread_take_slot(record, hp_class_of(bytes), 16, &zeroed);
    assert_non_null(chunk);
    return slab_of(chunk);
}

/* Mine is not the first of the list. */
static hp_owner *given_another_owner_first(void)
{
    /* The oldest owner is the one that the test's thread was born with: it goes to the other. */
    if (hp_owners_first() == mine) {
        hp_owners_unbind(mine);
        mine = hp_owners_next(mine);
        self->owner = mine;
        self->tag = hp_owner_tag(mine->id);
    }
    assert_ptr_not_equal(hp_owners_first(), mine);
    return hp_owners_first();
}

/* ---- where a slot comes from ---- */

static void a_slot_to_8192_bytes_comes_from_the_threads_own_owner(void **state)
{
    (void)state;
    given_another_owner_first();

    assert_ptr_equal(taken_slab(self, 1025)->owner, mine);
    assert_ptr_equal(taken_slab(self, 8192)->owner, mine);
}

static void a_slot_above_8192_bytes_comes_from_the_first_owner_that_can_be_claimed(void **state)
{
    (void)state;
    hp_owner *other = given_another_owner_first();

    assert_ptr_equal(taken_slab(self, 8193)->owner, other);
    assert_ptr_equal(taken_slab(self, 32768)->owner, other);

    assert_true(hp_claim_try(&other->claim));
    assert_ptr_not_equal(taken_slab(self, 10000)->owner, other);
    hp_claim_release(&other->claim);
}

static void a_thread_without_a_record_takes_from_any_owner(void **state)
{
    (void)state;
    hp_owner *other = given_another_owner_first();

    assert_ptr_equal(taken_slab(NULL, 2000)->owner, other);
    assert_ptr_equal(taken_slab(NULL, 64)->owner, other);

    assert_false(hp_claim_is_taken(&other->claim));
}

static void notes_are_worked_in_before_a_slot_is_taken(void **state)
{
    (void)state;
    bool zeroed;
    void *chunk = hp_thread_take_slot(self, hp_class_of(2000), 16, &zeroed);
    hp_inbox_post(slab_of(chunk), index_of(chunk) / 64, (uint64_t)1 << index_of(chunk) % 64);

    assert_ptr_equal(hp_thread_take_slot(self, hp_class_of(2000), 16, &zeroed), chunk);

    assert_false(zeroed);
    assert_false(hp_inbox_has_news(mine));
}

/* ---- where it goes ---- */

static void without_a_depot_a_slot_above_8192_bytes_is_free_at_once_or_noted(void **state)
{
    (void)state;
    bool zeroed;
    void *chunks[2];
    for (unsigned index = 0; index < 2; index++) {
        chunks[index] = hp_thread_take_slot(self, hp_class_of(9000), 16, &zeroed);
    }
    hp_slab *slab = slab_of(chunks[0]);
    uint32_t free_before = slab->free->free_count;

    hp_thread_free_slot(NULL, slab, index_of(chunks[0]));
    assert_int_equal(slab->free->free_count, free_before + 1);
    assert_true(hp_claim_try(&slab->owner->claim));
    hp_thread_free_slot(NULL, slab, index_of(chunks[1]));
    assert_int_equal(slab->free->free_count, free_before + 1);
    hp_inbox_drain(slab->owner);
    hp_claim_release(&slab->owner->claim);

    assert_int_equal(slab->free->free_count, free_before + 2);
}

static void a_cached_slot_goes_into_the_line_whosever_it_is(void **state)
{
    (void)state;
    void *own = take(64);
    void *others = given_a_chunk_of_another_owner(64);
    unsigned filled_before = filled(64);

    hp_thread_free_slot(self, slab_of(own), index_of(own));
    assert_ptr_equal(line_of(64)->chunks[0], own);
    hp_thread_free_slot(self, slab_of(others), index_of(others));

    assert_ptr_equal(line_of(64)->chunks[0], others);
    assert_int_equal(filled(64), filled_before + 2);
    assert_int_equal(self->outbox_room, HP_OUTBOX_BYTES);
}

/* ---- after a fork ---- */

static void a_thread_whose_owner_is_open_keeps_it_and_its_lines(void **state)
{
    (void)state;
    hepta_free(take(64));
    unsigned filled_before = filled(64);
    assert_true(filled_before > 0);

    hp_thread_rebind(self);

    assert_ptr_equal(self->owner, mine);
    assert_int_equal(filled(64), filled_before);
}

static void a_thread_whose_owner_is_claimed_for_ever_is_bound_to_one_that_is_open(void **state)
{
    (void)state;
    atomic_store(&mine->bound_threads, 2);
    assert_true(hp_claim_try(&mine->claim));

    hp_thread_rebind(self);

    assert_ptr_not_equal(self->owner, mine);
    assert_false(hp_claim_is_taken(&self->owner->claim));
    assert_int_equal(self->tag, hp_owner_tag(self->owner->id));
    assert_int_equal(atomic_load(&self->owner->bound_threads), 1);
    assert_int_equal(atomic_load(&mine->bound_threads), 1);
    assert_ptr_equal(slab_of(take(64))->owner, self->owner);
    hp_claim_release(&mine->claim);
}

static void what_a_rebound_thread_held_of_its_former_owner_becomes_notes(void **state)
{
    (void)state;
    void *chunk = take(272);
    hepta_free(chunk);
    hp_slab *slab = slab_of(chunk);
    assert_true(hp_claim_try(&mine->claim));

    hp_thread_rebind(self);

    assert_int_equal(filled(272), 0);
    assert_true(hp_inbox_is_free(slab, index_of(chunk)));
    hp_inbox_drain(mine);
    assert_int_equal(slab->free->free_count, slab->slot_count);
    hp_claim_release(&mine->claim);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, thread_setup, thread_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_slot_to_8192_bytes_comes_from_the_threads_own_owner),
        SPEC(a_slot_above_8192_bytes_comes_from_the_first_owner_that_can_be_claimed),
        SPEC(a_thread_without_a_record_takes_from_any_owner),
        SPEC(notes_are_worked_in_before_a_slot_is_taken),
        SPEC(without_a_depot_a_slot_above_8192_bytes_is_free_at_once_or_noted),
        SPEC(a_cached_slot_goes_into_the_line_whosever_it_is),
        SPEC(a_thread_whose_owner_is_open_keeps_it_and_its_lines),
        SPEC(a_thread_whose_owner_is_claimed_for_ever_is_bound_to_one_that_is_open),
        SPEC(what_a_rebound_thread_held_of_its_former_owner_becomes_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
