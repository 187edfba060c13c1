/*
 * A slab from its opening to its end: pointers into it, the address map, zeros, what the check finds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "slab_slots.h"

/* ---- pointers ---- */

static void every_slot_is_found_by_its_start_and_by_nothing_else(void **state)
{
    (void)state;
    given_a_slab_of(48);
    for (size_t offset = 0; offset < HP_GRAIN_BYTES; offset++) {
        uint32_t index = hp_slab_index(slab, slab->base + offset);
        bool is_start = offset % 48 == 0 && offset / 48 < slab->slot_count;

        assert_int_equal(index, is_start ? offset / 48 : HP_NOT_A_SLOT);
    }
}

static void what_lies_outside_the_slab_is_no_slot(void **state)
{
    (void)state;
    given_a_slab_of(48);
    uintptr_t base = (uintptr_t)slab->base;

    assert_int_equal(hp_slab_index(slab, (void *)(base - 48)), HP_NOT_A_SLOT);
    assert_int_equal(hp_slab_index(slab, (void *)(base + HP_GRAIN_BYTES)), HP_NOT_A_SLOT);
    assert_int_equal(hp_slab_index(slab, (void *)(base + ((uintptr_t)48 << 40))), HP_NOT_A_SLOT);
    assert_int_equal(hp_slab_index(slab, NULL), HP_NOT_A_SLOT);
    assert_int_equal(hp_slab_index(slab, (void *)UINTPTR_MAX), HP_NOT_A_SLOT);
}

static void both_maps_know_a_cached_class_while_its_slab_is_open(void **state)
{
    (void)state;
    given_a_slab_of(48);
    char *last_byte = slab->base + HP_GRAIN_BYTES - 1;
    assert_ptr_equal(hp_entry_record(hp_map_get(slab->base)), slab);
    assert_ptr_equal(hp_entry_record(hp_map_get(last_byte)), slab);
    assert_ptr_equal(hp_hot_slab(hp_grain_of(last_byte)), slab);

    hp_slab_close(slab);

    assert_int_equal(hp_map_get(slab->base), HP_ENTRY_FREED);
    assert_int_equal(hp_map_get(last_byte), HP_ENTRY_FREED);
    assert_null(hp_hot_slab(hp_grain_of(last_byte)));
    slab = NULL;
}

static void a_class_that_is_not_cached_is_in_the_full_map_only(void **state)
{
    (void)state;
    given_a_slab_of(16384);
    char *last_byte = slab->base + HP_LARGE_SLAB_BYTES - 1;

    assert_ptr_equal(hp_entry_record(hp_map_get(last_byte)), slab);
    assert_null(hp_hot_slab(hp_grain_of(last_byte)));
}

/* ---- open and close ---- */

static void a_closed_slab_gives_its_pages_back_and_its_record_serves_another_class(void **state)
{
    (void)state;
    given_a_slab_of(48);
    uint32_t free_pages = atomic_load(&slab->region->free_pages);
    unsigned other_class = hp_class_of(32);
    assert_int_equal(hp_slab_record_capacity(other_class),
                     hp_slab_record_capacity(slab->size_class));

    hp_slab_close(slab);

    assert_int_equal(atomic_load(&slab->region->free_pages),
                     free_pages + HP_GRAIN_BYTES / hp_page_bytes());
    assert_true(hp_slab_open(slab, other_class));
    assert_int_equal(slab->slot_count, HP_GRAIN_BYTES / 32);
    then_the_slab_is_sound();
}

static void a_refused_slab_leaves_its_record_closed(void **state)
{
    (void)state;
    slab = NULL;
    hp_slab *record = hp_slab_new_record(&owner, hp_slab_record_capacity(0));
    fake.maps_left = 0;
    while (hp_slab_open(record, 0)) { /* what the arena has left */
        record = hp_slab_new_record(&owner, hp_slab_record_capacity(0));
        if (record == NULL) {
            return;
        }
    }

    fake.maps_left = 100;

    assert_true(hp_slab_open(record, 0));
}

static void the_first_taker_of_a_slot_of_a_clean_slab_and_nobody_else_hears_of_zeros(void **state)
{
    (void)state;
    given_a_slab_of(1024);
    slab->free->zeroed = true; /* as after a run from a clean region */
    assert_true(hp_slab_note_touched(slab, hp_slab_take_one(slab)));
    assert_true(put_slot(0));

    assert_int_equal(hp_slab_take_one(slab), 0);
    assert_false(hp_slab_note_touched(slab, 0));

    assert_int_equal(hp_slab_take_one(slab), 1);
    assert_true(hp_slab_note_touched(slab, 1));
}

static void nobody_hears_of_zeros_in_a_slab_that_was_used_before(void **state)
{
    (void)state;
    given_a_slab_of(1024);
    slab->free->zeroed = false;

    assert_false(hp_slab_note_touched(slab, hp_slab_take_one(slab)));
}

static void the_check_finds_a_wrong_count_a_wrong_summary_and_a_bit_beyond_the_end(void **state)
{
    (void)state;
    given_a_slab_of(48);
    slab->free->free_count--;
    assert_non_null(hp_slab_check(slab));
    slab->free->free_count++;

    slab->free->nonempty ^= 1;
    assert_non_null(hp_slab_check(slab));
    slab->free->nonempty ^= 1;

    slab->free->words[slab->word_count - 1] |= (uint64_t)1 << 63;
    slab->free->free_count++;
    assert_non_null(hp_slab_check(slab));
    slab = NULL;
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, slab_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(every_slot_is_found_by_its_start_and_by_nothing_else),
        SPEC(what_lies_outside_the_slab_is_no_slot),
        SPEC(both_maps_know_a_cached_class_while_its_slab_is_open),
        SPEC(a_class_that_is_not_cached_is_in_the_full_map_only),
        SPEC(a_closed_slab_gives_its_pages_back_and_its_record_serves_another_class),
        SPEC(a_refused_slab_leaves_its_record_closed),
        SPEC(the_first_taker_of_a_slot_of_a_clean_slab_and_nobody_else_hears_of_zeros),
        SPEC(nobody_hears_of_zeros_in_a_slab_that_was_used_before),
        SPEC(the_check_finds_a_wrong_count_a_wrong_summary_and_a_bit_beyond_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
