/*
 * Huge mappings that change their size, and those that the system refuses to map, unmap or move.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "huge_blocks.h"

/* The first and the last byte are written, so that a test sees whether they moved along. */
static char *given_a_block(size_t bytes)
{
    bool zeroed;
    char *start = hp_huge_allocate(bytes, 1, &zeroed);
    assert_non_null(start);
    start[0] = 'a';
    start[bytes - 1] = 'z';
    return start;
}

/* Above what is kept, so that the free asks for the unmapping. */
static char *given_a_stranded_mapping(void)
{
    char *start = given_a_block(300 * MIB);
    fake.refuse_unmap = true;
    give_back(start);
    fake.refuse_unmap = false;
    fake.maps_left = 0;
    return start;
}

static char *allocate(size_t bytes, bool *zeroed)
{
    return hp_huge_allocate(bytes, 1, zeroed);
}

/* ---- resize ---- */

static void a_block_grows_and_shrinks_in_place_when_the_system_can(void **state)
{
    (void)state;
    char *start = given_a_block(6 * MIB);

    assert_ptr_equal(hp_huge_resize(record_of(start), 5 * MIB), start);
    assert_int_equal(mapped_for_blocks(), 5 * MIB);
    assert_ptr_equal(hp_huge_resize(record_of(start), 6 * MIB), start);

    assert_int_equal(hp_huge_usable_bytes(record_of(start)), 6 * MIB);
    assert_int_equal(start[0], 'a');
    assert_int_equal(start[6 * MIB - 1], 0);
    give_back(start);
}

static void a_size_of_as_many_pages_asks_the_system_for_nothing(void **state)
{
    (void)state;
    char *start = given_a_block(6 * MIB);
    fake.refuse_growing_in_place = true;
    fake.refuse_moving = true;

    assert_ptr_equal(hp_huge_resize(record_of(start), 6 * MIB - hp_page_bytes() + 1), start);

    give_back(start);
}

static void a_block_that_cannot_grow_in_place_moves_with_its_content_and_its_entry(void **state)
{
    (void)state;
    char *start = given_a_block(5 * MIB);
    fake.refuse_growing_in_place = true;

    char *moved = hp_huge_resize(record_of(start), 9 * MIB);

    assert_ptr_not_equal(moved, start);
    assert_int_equal(hp_map_get(start), 0);
    assert_ptr_equal(record_of(moved)->start, moved);
    assert_int_equal(moved[0], 'a');
    assert_int_equal(moved[5 * MIB - 1], 'z');
    assert_int_equal(mapped_for_blocks(), 9 * MIB);
    give_back(moved);
}

static void a_block_that_can_neither_grow_nor_move_stays_as_it_was(void **state)
{
    (void)state;
    char *start = given_a_block(5 * MIB);
    hp_huge_totals before = hp_huge_count();
    fake.refuse_growing_in_place = true;
    fake.refuse_moving = true;

    assert_null(hp_huge_resize(record_of(start), 9 * MIB));

    assert_ptr_equal(record_of(start)->start, start);
    assert_int_equal(hp_huge_usable_bytes(record_of(start)), 5 * MIB);
    assert_int_equal(start[5 * MIB - 1], 'z');
    assert_int_equal(mapped_for_blocks(), 5 * MIB);
    assert_int_equal(hp_huge_count().mapped_bytes, before.mapped_bytes);
    give_back(start);
}

static void a_block_moves_where_there_is_no_room_for_both(void **state)
{
    (void)state;
    char *start = given_a_block(5 * MIB);
    hp_map_give_leaf(hp_map_take_leaf(), NULL);
    fake.refuse_growing_in_place = true;
    fake.maps_left = 0;

    char *moved = hp_huge_resize(record_of(start), 64 * MIB);

    assert_non_null(moved);
    assert_int_equal(moved[5 * MIB - 1], 'z');
    assert_int_equal(hp_huge_usable_bytes(record_of(moved)), 64 * MIB);
    give_back(moved);
}

static void a_block_that_starts_inside_its_mapping_never_moves(void **state)
{
    (void)state;
    bool zeroed;
    fake.ignore_hints = true;
    fake.refuse_unmap = true;
    char *start = hp_huge_allocate(5 * MIB, 8 * MIB, &zeroed);
    fake.refuse_unmap = false;
    assert_ptr_not_equal(start, record_of(start)->mapping);
    fake.refuse_growing_in_place = true;

    assert_null(hp_huge_resize(record_of(start), 64 * MIB));

    assert_int_equal((uintptr_t)start % (8 * MIB), 0);
    give_back(start);
}

static void a_size_that_no_mapping_can_have_changes_nothing(void **state)
{
    (void)state;
    char *start = given_a_block(5 * MIB);

    assert_null(hp_huge_resize(record_of(start), PTRDIFF_MAX));
    assert_null(hp_huge_resize(record_of(start), SIZE_MAX));

    assert_int_equal(hp_huge_usable_bytes(record_of(start)), 5 * MIB);
    give_back(start);
}

/* ---- refused ---- */

static void a_refused_mapping_gives_NULL_and_counts_nothing(void **state)
{
    (void)state;
    hp_huge_totals before = hp_huge_count();
    bool zeroed;
    fake.maps_left = 0;

    assert_null(allocate(5 * MIB, &zeroed));

    assert_int_equal(hp_huge_count().mappings, before.mappings);
    assert_int_equal(hp_huge_count().mapped_bytes, before.mapped_bytes);
}

static void a_mapping_that_cannot_be_unmapped_gives_its_pages_back(void **state)
{
    (void)state;
    hp_huge_totals before = hp_huge_count();

    given_a_stranded_mapping();

    assert_int_equal(fake.discarded_bytes, 300 * MIB);
    assert_int_equal(hp_huge_count().mappings, before.mappings);
    fake.discarded_bytes = 0;
    bool zeroed;
    assert_non_null(allocate(300 * MIB, &zeroed));
}

static void a_stranded_mapping_serves_a_request_that_the_system_refuses(void **state)
{
    (void)state;
    char *stranded = given_a_stranded_mapping();
    bool zeroed = false;

    char *start = allocate(290 * MIB, &zeroed);

    assert_ptr_equal(start, stranded);
    assert_true(zeroed);
    assert_int_equal(start[0] + start[290 * MIB - 1], 0);
    give_back(start);
}

static void a_stranded_mapping_that_is_too_small_stays_stranded(void **state)
{
    (void)state;
    char *stranded = given_a_stranded_mapping();
    bool zeroed;

    assert_null(allocate(310 * MIB, &zeroed));

    assert_ptr_equal(allocate(300 * MIB, &zeroed), stranded);
    give_back(stranded);
}

static void a_stranded_mapping_that_kept_its_pages_is_not_said_to_be_zeroed(void **state)
{
    (void)state;
    fake.refuse_discard = true;
    char *stranded = given_a_stranded_mapping();
    bool zeroed = true;

    char *start = allocate(300 * MIB, &zeroed);

    assert_ptr_equal(start, stranded);
    assert_int_equal(start[0], 'a');
    assert_false(zeroed);
    give_back(start);
}

static void a_purge_unmaps_a_stranded_mapping_when_the_system_has_changed_its_mind(void **state)
{
    (void)state;
    hp_huge_totals before = hp_huge_count();
    char *stranded = given_a_stranded_mapping();
    int64_t mapped_bytes = fake.mapped_bytes;

    hp_huge_purge();

    assert_int_equal(fake.mapped_bytes, mapped_bytes - 300 * (int64_t)MIB);
    assert_int_equal(hp_huge_count().mappings, before.mappings);
    assert_int_equal(hp_huge_count().mapped_bytes, before.mapped_bytes);
    bool zeroed;
    assert_null(allocate(300 * MIB, &zeroed)); /* it is no longer there to serve */
    assert_int_equal(hp_map_get(stranded), HP_ENTRY_FREED);
}

static void what_the_system_refuses_again_stays_stranded_and_the_purge_ends(void **state)
{
    (void)state;
    char *stranded = given_a_stranded_mapping();
    hp_huge_totals before = hp_huge_count();
    fake_system_forget();
    fake.refuse_unmap = true;

    hp_huge_purge();

    assert_in_range(fake.unmaps_asked, 1, 16);
    assert_int_equal(hp_huge_count().mapped_bytes, before.mapped_bytes);
    bool zeroed;
    assert_ptr_equal(allocate(300 * MIB, &zeroed), stranded);
    fake.refuse_unmap = false;
    give_back(stranded);
}

/* ---- the address map ---- */

/* The block starts behind a border of the map's leaves, its mapping before it. */
static void a_kept_mapping_that_crosses_a_leaf_of_the_map_can_be_used_from_its_start(void **state)
{
    (void)state;
    char *border = (char *)((uintptr_t)1 << 45) + ((size_t)100 << 30);
    bool zeroed;
    fake.place = border - 2 * MIB;
    fake.refuse_unmap = true; /* else what lies before the border is given back at once */
    char *aligned = hp_huge_allocate(5 * MIB, 4 * MIB, &zeroed);
    fake.refuse_unmap = false;
    assert_ptr_equal(aligned, border);
    give_back(aligned);

    char *again = allocate(9 * MIB, &zeroed);

    assert_ptr_equal(again, border - 2 * MIB);
    give_back(again);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, huge_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_block_grows_and_shrinks_in_place_when_the_system_can),
        SPEC(a_size_of_as_many_pages_asks_the_system_for_nothing),
        SPEC(a_block_that_cannot_grow_in_place_moves_with_its_content_and_its_entry),
        SPEC(a_block_that_can_neither_grow_nor_move_stays_as_it_was),
        SPEC(a_block_moves_where_there_is_no_room_for_both),
        SPEC(a_block_that_starts_inside_its_mapping_never_moves),
        SPEC(a_size_that_no_mapping_can_have_changes_nothing),
        SPEC(a_refused_mapping_gives_NULL_and_counts_nothing),
        SPEC(a_mapping_that_cannot_be_unmapped_gives_its_pages_back),
        SPEC(a_stranded_mapping_serves_a_request_that_the_system_refuses),
        SPEC(a_stranded_mapping_that_is_too_small_stays_stranded),
        SPEC(a_stranded_mapping_that_kept_its_pages_is_not_said_to_be_zeroed),
        SPEC(a_purge_unmaps_a_stranded_mapping_when_the_system_has_changed_its_mind),
        SPEC(what_the_system_refuses_again_stays_stranded_and_the_purge_ends),
        SPEC(a_kept_mapping_that_crosses_a_leaf_of_the_map_can_be_used_from_its_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
