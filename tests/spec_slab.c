/*
 * A slab's record and its slots, from the lowest up. The rest of its life is in spec_slab_life.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "slab_slots.h"

/* ---- records ---- */

static void the_record_of_every_class_has_room_for_its_bitmap_and_not_twice_as_much(void **state)
{
    (void)state;
    for (unsigned size_class = 0; size_class < HP_CLASSES; size_class++) {
        size_t slots = hp_class_slab_bytes(size_class) / hp_class_bytes(size_class);
        unsigned capacity = hp_slab_record_capacity(size_class);

        assert_in_range(capacity, 0, HP_RECORD_CAPACITIES - 1);
        assert_true(slots <= (size_t)64 << capacity);
        assert_true(capacity == 0 || slots > (size_t)32 << capacity);
    }
}

static void the_parts_of_a_record_lie_on_cache_lines_of_their_own(void **state)
{
    (void)state;
    given_a_slab_of(16);

    size_t last_remote = offsetof(hp_slab, remote) + 64 * sizeof(uint64_t);

    assert_int_equal((uintptr_t)slab % 64, 0);
    assert_int_equal(offsetof(hp_slab, pending) % 64, 0);
    assert_int_equal((uintptr_t)slab->free % 64, 0);
    assert_true((uintptr_t)slab->free >= (uintptr_t)slab + last_remote);
}

/* ---- slots ---- */

static void an_open_slab_is_free_to_the_last_slot(void **state)
{
    (void)state;
    given_a_slab_of(48);

    assert_int_equal(slab->slot_count, HP_GRAIN_BYTES / 48);
    assert_int_equal(slab->free->free_count, slab->slot_count);
    assert_int_equal((uintptr_t)slab->base % HP_GRAIN_BYTES, 0);
    then_the_slab_is_sound();
}

static void slots_are_handed_out_from_the_lowest_up(void **state)
{
    (void)state;
    given_a_slab_of(48);

    for (unsigned index = 0; index < slab->slot_count; index++) {
        assert_int_equal(hp_slab_take(slab, 1, chunks), 1);
        assert_ptr_equal(chunks[0], slot(index));
    }
    assert_int_equal(slab->free->nonempty, 0);
    then_the_slab_is_sound();
}

static void several_slots_at_once_come_in_order_across_bitmap_words(void **state)
{
    (void)state;
    given_a_slab_of(48);
    hp_slab_take(slab, 61, chunks);

    assert_int_equal(hp_slab_take(slab, 7, chunks), 7);

    for (unsigned index = 0; index < 7; index++) {
        assert_ptr_equal(chunks[index], slot(61 + index));
    }
    then_the_slab_is_sound();
}

static void a_slab_with_fewer_free_slots_gives_what_it_has(void **state)
{
    (void)state;
    given_a_slab_of(8192);

    assert_int_equal(hp_slab_take(slab, 64, chunks), 8);

    assert_int_equal(slab->free->free_count, 0);
    then_the_slab_is_sound();
}

static void a_freed_slot_is_the_next_to_go_when_it_is_the_lowest(void **state)
{
    (void)state;
    given_a_slab_of(48);
    hp_slab_take(slab, 100, chunks);
    assert_true(put_slot(90));
    assert_true(put_slot(3));

    hp_slab_take(slab, 2, chunks);

    assert_ptr_equal(chunks[0], slot(3));
    assert_ptr_equal(chunks[1], slot(90));
    then_the_slab_is_sound();
}

static void a_slot_that_is_freed_twice_is_found_out_and_counted_once(void **state)
{
    (void)state;
    given_a_slab_of(48);
    hp_slab_take(slab, 10, chunks);
    assert_true(put_slot(5));

    assert_false(put_slot(5));

    assert_int_equal(slab->free->free_count, slab->slot_count - 9);
    then_the_slab_is_sound();
}

static void of_a_word_of_frees_those_that_were_free_already_come_back(void **state)
{
    (void)state;
    given_a_slab_of(48);
    hp_slab_take(slab, 128, chunks);
    assert_true(put_slot(64 + 2));

    uint64_t twice = hp_slab_put_word(slab, 1, 0xf);

    assert_int_equal(twice, 0x4);
    assert_int_equal(slab->free->free_count, slab->slot_count - 124);
    then_the_slab_is_sound();
}

static void a_bit_beyond_the_last_slot_comes_back_as_free_already(void **state)
{
    (void)state;
    given_a_slab_of(8192);
    hp_slab_take(slab, 8, chunks);

    assert_int_equal(hp_slab_put_word(slab, 0, 0x1ff), 0x100);

    then_the_slab_is_sound();
}

/* ---- groups of eight ---- */

static void groups_of_eight_neighbours_come_from_one_word(void **state)
{
    (void)state;
    given_a_slab_of(48);
    unsigned groups = 3;

    assert_ptr_equal(hp_slab_take_groups(slab, &groups), slot(0));
    assert_int_equal(groups, 3);

    groups = 64;
    assert_ptr_equal(hp_slab_take_groups(slab, &groups), slot(24));
    assert_int_equal(groups, 5);
    assert_int_equal(slab->free->free_count, slab->slot_count - 64);
    then_the_slab_is_sound();
}

static void a_group_ends_before_a_slot_that_is_out(void **state)
{
    (void)state;
    given_a_slab_of(48);
    hp_slab_take(slab, 128, chunks);
    assert_int_equal(hp_slab_put_word(slab, 1, 0xffefffff), 0);
    unsigned groups = 8;

    assert_ptr_equal(hp_slab_take_groups(slab, &groups), slot(64));

    assert_int_equal(groups, 2);
    then_the_slab_is_sound();
}

static void a_group_may_begin_at_any_slot(void **state)
{
    (void)state;
    given_a_slab_of(48);
    hp_slab_take(slab, 3, chunks);
    unsigned groups = 64;

    assert_ptr_equal(hp_slab_take_groups(slab, &groups), slot(3));

    assert_int_equal(groups, 7); /* 61 slots of the word were free */
    assert_int_equal(slab->free->free_count, slab->slot_count - 3 - 56);
    then_the_slab_is_sound();
}

static void no_group_is_taken_when_fewer_than_eight_neighbours_are_free(void **state)
{
    (void)state;
    given_a_slab_of(48);
    hp_slab_take(slab, 128, chunks);
    assert_int_equal(hp_slab_put_word(slab, 1, 0xfff0000000007f00), 0);
    unsigned groups = 1;

    assert_null(hp_slab_take_groups(slab, &groups));

    assert_int_equal(slab->free->free_count, slab->slot_count - 128 + 19);
    then_the_slab_is_sound();
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, slab_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(the_record_of_every_class_has_room_for_its_bitmap_and_not_twice_as_much),
        SPEC(the_parts_of_a_record_lie_on_cache_lines_of_their_own),
        SPEC(an_open_slab_is_free_to_the_last_slot),
        SPEC(slots_are_handed_out_from_the_lowest_up),
        SPEC(several_slots_at_once_come_in_order_across_bitmap_words),
        SPEC(a_slab_with_fewer_free_slots_gives_what_it_has),
        SPEC(a_freed_slot_is_the_next_to_go_when_it_is_the_lowest),
        SPEC(a_slot_that_is_freed_twice_is_found_out_and_counted_once),
        SPEC(of_a_word_of_frees_those_that_were_free_already_come_back),
        SPEC(a_bit_beyond_the_last_slot_comes_back_as_free_already),
        SPEC(groups_of_eight_neighbours_come_from_one_word),
        SPEC(a_group_ends_before_a_slot_that_is_out),
        SPEC(a_group_may_begin_at_any_slot),
        SPEC(no_group_is_taken_when_fewer_than_eight_neighbours_are_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
