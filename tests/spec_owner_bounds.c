/*
 * How many wholly free slabs an owner keeps, and what it still has to give when the system refuses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "owner_slots.h"

enum { SLOTS_7K = 9, SLOTS_8K = 8, KEPT_64K = HP_OWNER_EMPTY_BYTES / HP_SMALL_SLAB_BYTES };

/* ---- wholly free slabs ---- */

static void wholly_free_slabs_of_all_classes_are_kept_up_to_512_kib(void **state)
{
    (void)state;
    enum { MORE = KEPT_64K + 3 };
    for (unsigned index = 0; index < MORE; index++) {
        given_chunks(16 * (index + 1), index, 1);
    }

    for (unsigned index = 0; index < MORE; index++) {
        assert_true(put(chunks[index]));
        assert_int_equal(slabs_of(16 * (index + 1))->slab_count, 1);
    }

    /* The classes give up theirs in turn, never the one that was emptied last. */
    for (unsigned index = 0; index < MORE; index++) {
        bool kept = index >= MORE - KEPT_64K;
        assert_int_equal(slabs_of(16 * (index + 1))->slab_count, kept);
        assert_int_equal(hp_map_get(chunks[index]) == HP_ENTRY_FREED, !kept);
    }
    assert_int_equal(owner->empty_bytes, 512 << 10);
}

static void a_large_slab_takes_as_much_of_the_bound_as_it_has_pages(void **state)
{
    (void)state;
    static const size_t sizes[] = {32768, 28672, 24576};
    for (unsigned index = 0; index < 3; index++) {
        given_chunks(sizes[index], index, 1);
    }

    for (unsigned index = 0; index < 3; index++) {
        assert_true(put(chunks[index]));
    }

    assert_int_equal(slabs_of(28672)->slab_count, 0);
    assert_int_equal(slabs_of(24576)->slab_count, 1);
    assert_int_equal(owner->empty_bytes, 512 << 10);
}

static void a_kept_slab_that_serves_again_leaves_its_room_to_the_next(void **state)
{
    (void)state;
    for (unsigned index = 0; index <= KEPT_64K; index++) {
        given_chunks(16 * (index + 1), index, 1);
    }
    for (unsigned index = 0; index < KEPT_64K; index++) {
        assert_true(put(chunks[index]));
    }
    given_chunks(16, 0, 1);

    assert_true(put(chunks[KEPT_64K]));

    assert_int_equal(slabs_of(16 * (KEPT_64K + 1))->slab_count, 1);
    assert_int_equal(owner->empty_bytes, 512 << 10);
}

static void after_a_trim_the_bound_is_all_free_again(void **state)
{
    (void)state;
    given_chunks(32768, 0, 1);
    given_chunks(48, 1, 1);
    assert_true(put(chunks[0]));
    assert_true(put(chunks[1]));
    assert_int_equal(owner->empty_bytes, (256 + 64) << 10);

    hp_owner_trim(owner);

    assert_int_equal(owner->empty_bytes, 0);
}

/* ---- a slot of the class or a larger one ---- */

static void the_class_itself_serves_while_it_has_a_slot(void **state)
{
    (void)state;
    given_chunks(8192, 0, SLOTS_8K - 1);
    given_chunks(16384, SLOTS_8K, 1);
    bool zeroed;

    void *chunk = hp_owner_take_at_least(owner, hp_class_of(8192), &zeroed);

    assert_ptr_equal(slab_of(chunk), slab_of(chunks[0]));
}

static void a_larger_class_serves_when_the_class_is_full(void **state)
{
    (void)state;
    given_chunks(8192, 0, SLOTS_8K);
    given_chunks(16384, SLOTS_8K, 1);
    bool zeroed;

    void *chunk = hp_owner_take_at_least(owner, hp_class_of(8000), &zeroed);

    assert_ptr_equal(slab_of(chunk), slab_of(chunks[SLOTS_8K]));
    assert_int_equal(slabs_of(8192)->slab_count, 1);
}

static void one_slot_of_a_smaller_class_never_serves_and_no_slab_is_opened(void **state)
{
    (void)state;
    given_chunks(7168, 0, SLOTS_7K - 1);
    given_chunks(8192, SLOTS_7K - 1, SLOTS_8K);
    bool zeroed;

    assert_null(hp_owner_take_at_least(owner, hp_class_of(8192), &zeroed));

    assert_int_equal(slabs_of(8192)->slab_count, 1);
}

static void a_slot_that_was_used_is_not_said_to_be_zeroed(void **state)
{
    (void)state;
    given_chunks(8192, 0, 1);
    *(char *)chunks[0] = 1;
    bool zeroed;
    assert_ptr_not_equal(hp_owner_take_one(owner, hp_class_of(8192), &zeroed), chunks[0]);
    assert_true(put(chunks[0]));

    assert_ptr_equal(hp_owner_take_at_least(owner, hp_class_of(8192), &zeroed), chunks[0]);

    assert_false(zeroed);
}

/* ---- of any owner ---- */

static void any_owner_gives_a_free_slot_and_the_system_is_not_asked(void **state)
{
    (void)state;
    given_chunks(8192, 0, 1);
    hp_claim_release(&owner->claim);
    fake_system_forget();
    fake.maps_left = 0;
    bool zeroed;

    void *chunk = hp_owners_scrape(hp_class_of(8000), &zeroed);

    assert_ptr_equal(slab_of(chunk), slab_of(chunks[0]));
    assert_int_equal(fake.maps_asked, 0);
    assert_true(hp_claim_try(&owner->claim)); /* it was left open */
}

static void notes_are_worked_in_before_an_owner_is_found_full(void **state)
{
    (void)state;
    given_chunks(8192, 0, SLOTS_8K);
    hp_inbox_post(slab_of(chunks[5]), 0, 1 << 5);
    hp_claim_release(&owner->claim);
    bool zeroed;

    void *chunk = hp_owners_scrape(hp_class_of(8192), &zeroed);

    assert_ptr_equal(chunk, chunks[5]);
    assert_true(hp_claim_try(&owner->claim));
}

static void a_claimed_owner_is_passed_by(void **state)
{
    (void)state;
    given_chunks(8192, 0, 1);
    bool zeroed;

    assert_null(hp_owners_scrape(hp_class_of(8192), &zeroed));

    assert_int_equal(slab_of(chunks[0])->free->free_count, SLOTS_8K - 1);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, owner_setup, owner_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(wholly_free_slabs_of_all_classes_are_kept_up_to_512_kib),
        SPEC(a_large_slab_takes_as_much_of_the_bound_as_it_has_pages),
        SPEC(a_kept_slab_that_serves_again_leaves_its_room_to_the_next),
        SPEC(after_a_trim_the_bound_is_all_free_again),
        SPEC(the_class_itself_serves_while_it_has_a_slot),
        SPEC(a_larger_class_serves_when_the_class_is_full),
        SPEC(one_slot_of_a_smaller_class_never_serves_and_no_slab_is_opened),
        SPEC(a_slot_that_was_used_is_not_said_to_be_zeroed),
        SPEC(any_owner_gives_a_free_slot_and_the_system_is_not_asked),
        SPEC(notes_are_worked_in_before_an_owner_is_found_full),
        SPEC(a_claimed_owner_is_passed_by),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
