/*
 * A kept mapping of another length: used as it is, cut, grown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "huge_blocks.h"

static void a_kept_block_that_fits_within_an_eighth_is_used_as_it_is(void **state)
{
    (void)state;
    char *start = given_a_huge_block(8 * MIB);
    give_back(start);
    fake_system_forget();

    char *fitting = given_a_huge_block(7 * MIB);

    assert_ptr_equal(fitting, start);
    assert_int_equal(hp_huge_usable_bytes(record_of(fitting)), 8 * MIB);
    assert_int_equal(fake.maps_asked + fake.unmaps_asked, 0);
    give_back(fitting);
}

static void of_a_longer_kept_block_the_rest_is_kept_too(void **state)
{
    (void)state;
    char *start = given_a_filled_block(20 * MIB);
    give_back(start);
    hp_huge_totals before = hp_huge_count();
    fake_system_forget();

    char *first = given_a_huge_block(9 * MIB);
    char *second = given_a_huge_block(11 * MIB);

    assert_ptr_equal(first, start);
    assert_ptr_equal(second, start + 9 * MIB);
    assert_int_equal(hp_huge_usable_bytes(record_of(first)), 9 * MIB);
    assert_int_equal(mapped_for_blocks(), 0);
    assert_int_equal(hp_huge_count().mapped_bytes, before.mapped_bytes);
    assert_int_equal(hp_huge_count().mappings, before.mappings + 1);
    give_back(first);
    give_back(second);
}

static void a_rest_that_is_too_short_to_keep_is_unmapped(void **state)
{
    (void)state;
    char *start = given_a_huge_block(6 * MIB);
    give_back(start);
    fake_system_forget();

    char *cut = given_a_huge_block(6 * MIB - MIB / 8 * 7);

    assert_ptr_equal(cut, start);
    assert_int_equal(mapped_for_blocks(), -(int64_t)MIB / 8 * 7);
    assert_int_equal(hp_huge_usable_bytes(record_of(cut)), 6 * MIB - MIB / 8 * 7);
    give_back(cut);
}

static void a_rest_that_serves_no_huge_request_keeps_its_range_but_no_memory(void **state)
{
    (void)state;
    char *start = given_a_filled_block(8 * MIB);
    give_back(start);
    fake_system_forget();

    char *cut = given_a_huge_block(5 * MIB);

    assert_ptr_equal(cut, start);
    assert_int_equal(mapped_for_blocks(), 0);
    assert_int_equal(fake.discarded_bytes, 3 * MIB);
    assert_int_equal(hp_huge_count().kept_bytes, 3 * MIB);
    give_back(cut);
}

static void pieces_of_one_mapping_that_are_alike_are_one_again_when_all_are_kept(void **state)
{
    (void)state;
    char *start = given_a_huge_block(30 * MIB);
    give_back(start);
    char *pieces[3];
    for (unsigned index = 0; index < 3; index++) {
        pieces[index] = given_a_huge_block(10 * MIB);
    }
    assert_ptr_equal(pieces[2], start + 20 * MIB);
    hp_huge_totals with_pieces = hp_huge_count();

    give_back(pieces[0]);
    give_back(pieces[2]);
    give_back(pieces[1]);

    assert_int_equal(hp_huge_count().mappings, with_pieces.mappings - 2);
    assert_int_equal(hp_huge_count().mapped_bytes, with_pieces.mapped_bytes);
    fake_system_forget();
    assert_ptr_equal(given_a_huge_block(30 * MIB), start);
    assert_int_equal(fake.maps_asked + fake.unmaps_asked, 0);
    give_back(start);
}

static void what_is_filled_does_not_become_one_with_what_is_not(void **state)
{
    (void)state;
    char *start = given_a_huge_block(20 * MIB);
    give_back(start);
    char *filled = given_a_filled_block(10 * MIB);
    char *empty = given_a_huge_block(10 * MIB);
    give_back(empty);
    hp_huge_totals before = hp_huge_count();

    give_back(filled);

    assert_int_equal(hp_huge_count().mappings, before.mappings);
    assert_int_equal(given_a_huge_block(10 * MIB)[0], 7);
    give_back(filled);
}

/* The fake system says of each mapping where it lies, the second one right behind the first. */
static void mappings_that_were_made_apart_stay_apart(void **state)
{
    (void)state;
    char *place = (char *)((uintptr_t)1 << 45) + ((size_t)200 << 30);
    fake.place = place;
    char *one = given_a_huge_block(10 * MIB);
    fake.place = place + 10 * MIB;
    char *other = given_a_huge_block(10 * MIB);
    assert_ptr_equal(other, one + 10 * MIB);
    hp_huge_totals before = hp_huge_count();

    give_back(one);
    give_back(other);

    assert_int_equal(hp_huge_count().mappings, before.mappings);
}

static void what_was_filled_serves_before_what_fits_better(void **state)
{
    (void)state;
    char *filled = given_a_filled_block(12 * MIB);
    char *empty = given_a_huge_block(10 * MIB);
    give_back(filled);
    give_back(empty);

    char *first = given_a_huge_block(10 * MIB);
    char *second = given_a_huge_block(10 * MIB);

    assert_ptr_equal(first, filled);
    assert_ptr_equal(second, empty);
    give_back(first);
    give_back(second);
}

static void a_shorter_kept_block_that_was_hardly_touched_does_not_grow(void **state)
{
    (void)state;
    char *start = given_a_huge_block(10 * MIB);
    start[0] = 7;
    give_back(start);

    char *other = given_a_huge_block(12 * MIB);

    assert_ptr_not_equal(other, start);
    assert_int_equal(hp_huge_count().kept_bytes, 10 * MIB);
    give_back(other);
}

static void a_shorter_kept_block_grows_with_its_pages_and_much_shorter_ones_do_not(void **state)
{
    (void)state;
    give_back(given_a_filled_block(10 * MIB));

    char *other = given_a_huge_block(21 * MIB);
    assert_int_equal(other[0], 0);
    bool zeroed = true;
    char *grown = hp_huge_allocate(20 * MIB, 1, &zeroed);

    assert_false(zeroed);
    assert_int_equal(grown[10 * MIB - 1], 7);
    assert_int_equal(grown[20 * MIB - 1], 0);
    assert_int_equal(hp_huge_usable_bytes(record_of(grown)), 20 * MIB);
    assert_int_equal(hp_huge_count().kept_bytes, 0);
    give_back(grown);
    give_back(other);
}

static void a_block_grows_into_what_is_kept_behind_it(void **state)
{
    (void)state;
    char *start = given_a_filled_block(30 * MIB);
    give_back(start);
    char *block = given_a_huge_block(10 * MIB);
    assert_ptr_equal(block, start);
    uint64_t mapped_bytes = hp_huge_count().mapped_bytes;
    fake_system_forget();

    assert_ptr_equal(hp_huge_resize(record_of(block), 20 * MIB), block);
    assert_int_equal(hp_huge_count().kept_bytes, 10 * MIB);
    assert_ptr_equal(hp_huge_resize(record_of(block), 29 * MIB), block);

    assert_int_equal(block[29 * MIB - 1], 7);
    assert_int_equal(hp_huge_usable_bytes(record_of(block)), 30 * MIB);
    assert_int_equal(hp_huge_count().kept_bytes, 0);
    assert_int_equal(hp_huge_count().mapped_bytes, mapped_bytes);
    assert_int_equal(fake.maps_asked + fake.unmaps_asked, 0);
    give_back(block);
}

static void a_kept_block_that_the_system_will_not_grow_stays_kept(void **state)
{
    (void)state;
    char *start = given_a_filled_block(10 * MIB);
    give_back(start);
    fake.refuse_growing_in_place = true;
    fake.refuse_moving = true;

    char *other = given_a_huge_block(16 * MIB);

    assert_ptr_not_equal(other, start);
    assert_int_equal(hp_huge_count().kept_bytes, 10 * MIB);
    give_back(other);
}

static void one_that_the_system_will_neither_grow_nor_empty_is_not_said_to_be_zeroed(void **state)
{
    (void)state;
    char *start = given_a_filled_block(10 * MIB);
    give_back(start);
    fake.refuse_growing_in_place = true;
    fake.refuse_moving = true;
    fake.refuse_discard = true;
    char *other = given_a_huge_block(16 * MIB);

    bool zeroed = true;
    char *again = hp_huge_allocate(10 * MIB, 1, &zeroed);

    assert_ptr_equal(again, start);
    assert_int_equal(again[5 * MIB], 7);
    assert_false(zeroed);
    give_back(again);
    give_back(other);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, huge_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_kept_block_that_fits_within_an_eighth_is_used_as_it_is),
        SPEC(of_a_longer_kept_block_the_rest_is_kept_too),
        SPEC(a_rest_that_is_too_short_to_keep_is_unmapped),
        SPEC(a_rest_that_serves_no_huge_request_keeps_its_range_but_no_memory),
        SPEC(pieces_of_one_mapping_that_are_alike_are_one_again_when_all_are_kept),
        SPEC(what_is_filled_does_not_become_one_with_what_is_not),
        SPEC(mappings_that_were_made_apart_stay_apart),
        SPEC(what_was_filled_serves_before_what_fits_better),
        SPEC(a_shorter_kept_block_that_was_hardly_touched_does_not_grow),
        SPEC(a_shorter_kept_block_grows_with_its_pages_and_much_shorter_ones_do_not),
        SPEC(a_block_grows_into_what_is_kept_behind_it),
        SPEC(a_kept_block_that_the_system_will_not_grow_stays_kept),
        SPEC(one_that_the_system_will_neither_grow_nor_empty_is_not_said_to_be_zeroed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
