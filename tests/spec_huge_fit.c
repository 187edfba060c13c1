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
    char *start = given_a_huge_block(20 * MIB);
    memset(start, 7, 20 * MIB);
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
    char *start = given_a_huge_block(8 * MIB);
    give_back(start);
    fake_system_forget();

    char *cut = given_a_huge_block(5 * MIB);

    assert_ptr_equal(cut, start);
    assert_int_equal(mapped_for_blocks(), -3 * (int64_t)MIB);
    assert_int_equal(hp_huge_usable_bytes(record_of(cut)), 5 * MIB);
    give_back(cut);
}

static void a_shorter_kept_block_grows_with_its_pages_and_much_shorter_ones_do_not(void **state)
{
    (void)state;
    char *start = given_a_huge_block(10 * MIB);
    memset(start, 7, 10 * MIB);
    give_back(start);

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
    char *start = given_a_huge_block(30 * MIB);
    memset(start, 7, 30 * MIB);
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
    char *start = given_a_huge_block(10 * MIB);
    give_back(start);
    fake.refuse_growing_in_place = true;
    fake.refuse_moving = true;

    char *other = given_a_huge_block(16 * MIB);

    assert_ptr_not_equal(other, start);
    assert_int_equal(hp_huge_count().kept_bytes, 10 * MIB);
    give_back(other);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, huge_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_kept_block_that_fits_within_an_eighth_is_used_as_it_is),
        SPEC(of_a_longer_kept_block_the_rest_is_kept_too),
        SPEC(a_rest_that_is_too_short_to_keep_is_unmapped),
        SPEC(a_shorter_kept_block_grows_with_its_pages_and_much_shorter_ones_do_not),
        SPEC(a_block_grows_into_what_is_kept_behind_it),
        SPEC(a_kept_block_that_the_system_will_not_grow_stays_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
