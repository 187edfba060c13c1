/*
 * Which owner has slots to spare for the threads of others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "owner_slots.h"

enum { BYTES = 1024, SLOTS = HP_SMALL_SLAB_BYTES / BYTES, MANY = 32 };

static hp_owner *asking; /* not claimed by anybody */

/* The owner of the test is open, but for it only the asking one. */
static int sparing_setup(void **state)
{
    if (owner_setup(state) != 0) {
        return -1;
    }
    asking = hp_owners_claim_any(NULL);
    hp_claim_release(&owner->claim);
    return asking == NULL;
}

static int sparing_teardown(void **state)
{
    hp_claim_try(&owner->claim);
    return owner_teardown(state);
}

/* Slabs of which each but the first slot is in use; the threads are bound to their owner. */
static void given_slabs_with_a_free_slot(unsigned slabs, uint32_t threads)
{
    void *first[MANY];
    assert_true(hp_claim_try(&owner->claim));
    for (unsigned slab = 0; slab < slabs; slab++) {
        given_chunks(BYTES, 0, SLOTS);
        first[slab] = chunks[0];
    }
    for (unsigned slab = 0; slab < slabs; slab++) {
        assert_true(put(first[slab]));
    }
    atomic_store(&owner->bound_threads, threads);
    hp_claim_release(&owner->claim);
}

static hp_owner *ask(void)
{
    return hp_owners_claim_sparing(asking, hp_class_of(BYTES));
}

static void one_without_threads_spares_any_slot(void **state)
{
    (void)state;
    given_slabs_with_a_free_slot(1, 0);

    assert_ptr_equal(ask(), owner);
    assert_true(hp_claim_is_taken(&owner->claim));
}

static void one_with_many_threads_spares_when_many_slabs_have_free_slots(void **state)
{
    (void)state;
    given_slabs_with_a_free_slot(MANY, 3);

    assert_ptr_equal(ask(), owner);
}

static void and_none_when_fewer_have(void **state)
{
    (void)state;
    given_slabs_with_a_free_slot(MANY - 1, 3);

    assert_null(ask());
    assert_false(hp_claim_is_taken(&owner->claim));
}

static void one_with_few_threads_spares_some_for_many_others_alone(void **state)
{
    (void)state;
    given_slabs_with_a_free_slot(MANY, 2);
    atomic_store(&asking->bound_threads, 2);
    assert_null(ask());

    atomic_store(&asking->bound_threads, 3);

    assert_ptr_equal(ask(), owner);
}

static void what_others_have_freed_there_counts(void **state)
{
    (void)state;
    assert_true(hp_claim_try(&owner->claim));
    given_chunks(BYTES, 0, SLOTS);
    hp_claim_release(&owner->claim);
    assert_null(ask());

    hp_inbox_post(slab_of(chunks[0]), 0, 1);

    assert_ptr_equal(ask(), owner);
}

static void who_asks_is_not_the_answer_nor_is_one_that_is_claimed(void **state)
{
    (void)state;
    given_slabs_with_a_free_slot(1, 0);

    assert_null(hp_owners_claim_sparing(owner, hp_class_of(BYTES)));

    assert_true(hp_claim_try(&owner->claim));
    assert_null(ask());
}

/* ---- packs ---- */

/* Of chunks of the owner of the test. */
static void given_a_pack_in_the_depot_of(hp_owner *other)
{
    hp_depot_hand hand = {0};
    assert_true(hp_claim_try(&owner->claim));
    assert_non_null(given_a_pack_of(other, &hand, BYTES));
    hp_claim_release(&owner->claim);
    hp_depot_empty_hand(other, &hand);
}

static void a_pack_of_an_owner_without_threads_serves_others_even_while_that_is_claimed(
    void **state)
{
    (void)state;
    hp_owner *from = NULL;
    given_a_pack_in_the_depot_of(owner);
    assert_true(hp_claim_try(&owner->claim));

    hp_pack *pack = hp_owners_pop_spare(asking, hp_class_of(BYTES), &from);

    assert_non_null(pack);
    assert_ptr_equal(from, owner);
    assert_memory_equal(pack->chunks, chunks, sizeof pack->chunks);
    assert_int_equal(owner->depot_bytes, hp_pack_bytes(hp_class_of(BYTES)));
    hp_depot_return_pack(owner, pack, hp_pack_bytes(hp_class_of(BYTES)));
    assert_int_equal(owner->depot_bytes, 0);
}

static void what_few_threads_have_in_their_depot_is_not_for_few_others(void **state)
{
    (void)state;
    hp_owner *from = NULL;
    given_a_pack_in_the_depot_of(owner);
    atomic_store(&owner->bound_threads, 2);
    atomic_store(&asking->bound_threads, 2);

    assert_null(hp_owners_pop_spare(asking, hp_class_of(BYTES), &from));

    atomic_store(&owner->bound_threads, 3);
    assert_non_null(hp_owners_pop_spare(asking, hp_class_of(BYTES), &from));
}

/* ---- all of it is wanted back ---- */

static void what_a_younger_owners_depot_holds_of_an_older_one_leaves_no_slab_open(void **state)
{
    (void)state;
    given_a_pack_in_the_depot_of(asking);
    hp_claim_release(&asking->claim);

    hp_owners_trim_all();

    assert_int_equal(slabs_of(BYTES)->slab_count, 0);
    assert_true(hp_claim_try(&asking->claim));
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, sparing_setup, sparing_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(one_without_threads_spares_any_slot),
        SPEC(one_with_many_threads_spares_when_many_slabs_have_free_slots),
        SPEC(and_none_when_fewer_have),
        SPEC(one_with_few_threads_spares_some_for_many_others_alone),
        SPEC(what_others_have_freed_there_counts),
        SPEC(a_pack_of_an_owner_without_threads_serves_others_even_while_that_is_claimed),
        SPEC(what_few_threads_have_in_their_depot_is_not_for_few_others),
        SPEC(who_asks_is_not_the_answer_nor_is_one_that_is_claimed),
        SPEC(what_a_younger_owners_depot_holds_of_an_older_one_leaves_no_slab_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
