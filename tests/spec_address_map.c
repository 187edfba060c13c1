/*
 * The address map: the full map of pages, and the hot map of grains in front of it.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metadata/address_map.h"
#include "support/fake_system.h"

#define LEAF_BYTES ((uintptr_t)1 << 30)
#define PAGE_BYTES 4096u
/* Nothing is ever mapped in these tests at the addresses that they look up. */
#define SOMEWHERE ((uintptr_t)7 << 40)
#define GRAIN ((uint64_t)0x1234567)

static _Alignas(64) char record[64];
static _Alignas(64) char other_record[64];

static void *address(uintptr_t number)
{
    return (void *)number;
}

/* ---- the full map ---- */

static void an_address_that_nobody_reserved_has_no_entry(void **state)
{
    (void)state;
    assert_int_equal(hp_map_get(address(SOMEWHERE)), 0);
    assert_int_equal(hp_map_get(NULL), 0);
    assert_int_equal(hp_map_get(address(1)), 0);
}

static void an_address_beyond_47_bits_has_no_entry(void **state)
{
    (void)state;
    assert_int_equal(hp_map_get(address((uintptr_t)1 << 47)), 0);
    assert_int_equal(hp_map_get(address((uintptr_t)0x8000 << 48)), 0);
    assert_int_equal(hp_map_get(address(UINTPTR_MAX)), 0);
}

static void an_entry_answers_for_every_byte_of_its_pages_and_no_other(void **state)
{
    (void)state;
    uintptr_t start = SOMEWHERE + 8 * PAGE_BYTES;
    assert_true(hp_map_reserve(address(start), 2 * PAGE_BYTES));

    hp_map_set(address(start), 2 * PAGE_BYTES, hp_entry_of(HP_KIND_SLAB, record));

    assert_int_equal(hp_map_get(address(start - 1)), 0);
    assert_ptr_equal(hp_entry_record(hp_map_get(address(start))), record);
    assert_ptr_equal(hp_entry_record(hp_map_get(address(start + 2 * PAGE_BYTES - 1))), record);
    assert_int_equal(hp_map_get(address(start + 2 * PAGE_BYTES)), 0);
}

static void a_range_across_two_leaves_has_entries_in_both(void **state)
{
    (void)state;
    uintptr_t border = SOMEWHERE + 5 * LEAF_BYTES;
    assert_true(hp_map_reserve(address(border - PAGE_BYTES), 2 * PAGE_BYTES));

    hp_map_set(address(border - PAGE_BYTES), 2 * PAGE_BYTES, HP_ENTRY_FREED);

    assert_int_equal(hp_map_get(address(border - 1)), HP_ENTRY_FREED);
    assert_int_equal(hp_map_get(address(border)), HP_ENTRY_FREED);
}

static void an_entry_is_retired_by_the_first_who_tries(void **state)
{
    (void)state;
    hp_entry entry = hp_entry_of(HP_KIND_HUGE, record);
    assert_true(hp_map_reserve(address(SOMEWHERE), PAGE_BYTES));
    hp_map_set(address(SOMEWHERE), 1, entry);
    assert_false(hp_map_retire(address(SOMEWHERE), hp_entry_of(HP_KIND_HUGE, other_record)));

    assert_true(hp_map_retire(address(SOMEWHERE), entry));

    assert_int_equal(hp_map_get(address(SOMEWHERE)), HP_ENTRY_FREED);
    assert_false(hp_map_retire(address(SOMEWHERE), entry));
    hp_map_set(address(SOMEWHERE), 1, 0);
}

static void a_leaf_is_asked_of_the_system_once(void **state)
{
    (void)state;
    uintptr_t start = SOMEWHERE + 9 * LEAF_BYTES;
    assert_true(hp_map_reserve(address(start), PAGE_BYTES));
    assert_int_equal(fake.maps_asked, 1);

    assert_true(hp_map_reserve(address(start + LEAF_BYTES - PAGE_BYTES), PAGE_BYTES));

    assert_int_equal(fake.maps_asked, 1);
}

static void a_refused_leaf_refuses_the_reservation_and_can_be_tried_again(void **state)
{
    (void)state;
    uintptr_t start = SOMEWHERE + 12 * LEAF_BYTES;
    fake.maps_left = 0;
    assert_false(hp_map_reserve(address(start), PAGE_BYTES));

    fake.maps_left = 1;

    assert_int_equal(hp_map_get(address(start)), 0);
    assert_true(hp_map_reserve(address(start), PAGE_BYTES));
}

static void a_range_beyond_47_bits_cannot_be_reserved(void **state)
{
    (void)state;
    uintptr_t last_page = ((uintptr_t)1 << 47) - PAGE_BYTES;

    assert_true(hp_map_reserve(address(last_page), PAGE_BYTES));
    assert_false(hp_map_reserve(address(last_page), PAGE_BYTES + 1));
}

/* ---- entries ---- */

static void an_entry_keeps_kind_and_record_apart(void **state)
{
    (void)state;
    hp_entry slab = hp_entry_of(HP_KIND_SLAB, record);
    hp_entry huge = hp_entry_of(HP_KIND_HUGE, other_record);

    assert_int_equal(hp_entry_kind(slab), HP_KIND_SLAB);
    assert_ptr_equal(hp_entry_record(slab), record);
    assert_int_equal(hp_entry_kind(huge), HP_KIND_HUGE);
    assert_ptr_equal(hp_entry_record(huge), other_record);
}

static void the_entry_of_a_run_says_its_class_if_it_has_one(void **state)
{
    (void)state;
    hp_entry entry = hp_entry_of_run(0xffffff, UINT32_MAX);
    assert_int_equal(hp_entry_class(entry), 0);
    assert_int_equal(hp_entry_with_class(entry, 0), entry);
    for (unsigned size_class = HP_CLASSES; size_class < HP_DEPOT_CLASSES; size_class++) {
        hp_entry classed = hp_entry_with_class(entry, size_class);

        assert_int_equal(hp_entry_class(classed), size_class);
        assert_int_equal(hp_entry_kind(classed), HP_KIND_RUN);
        assert_int_equal(hp_entry_region(classed), 0xffffff);
        assert_int_equal(hp_entry_chunk(classed), UINT32_MAX);
    }
    assert_int_equal(hp_entry_class(hp_entry_of(HP_KIND_HUGE, (void *)(uintptr_t)0xffc0)), 0);
}

static void the_entry_of_a_run_keeps_the_largest_region_and_chunk(void **state)
{
    (void)state;
    hp_entry entry = hp_entry_of_run(0xffffff, UINT32_MAX);

    assert_int_equal(hp_entry_kind(entry), HP_KIND_RUN);
    assert_int_equal(hp_entry_region(entry), 0xffffff);
    assert_int_equal(hp_entry_chunk(entry), UINT32_MAX);
    assert_int_equal(hp_entry_region(hp_entry_of_run(1, 2)), 1);
    assert_int_equal(hp_entry_chunk(hp_entry_of_run(1, 2)), 2);
}

static void a_freed_entry_is_of_no_kind_and_differs_from_an_empty_one(void **state)
{
    (void)state;
    assert_int_equal(hp_entry_kind(HP_ENTRY_FREED), HP_KIND_NONE);
    assert_int_not_equal(HP_ENTRY_FREED, 0);
}

/* ---- the hot map ---- */

static void a_grain_that_was_set_finds_its_slab(void **state)
{
    (void)state;
    assert_null(hp_hot_slab(GRAIN));

    assert_true(hp_hot_set(GRAIN, 3, hp_line_offset(5), record));

    assert_ptr_equal(hp_hot_slab(GRAIN), record);
    assert_int_equal(hp_hot.line_offset[(uint16_t)GRAIN], HP_LINES_OFFSET_BYTES + 5 * 64);
    hp_hot_clear(GRAIN);
}

static void the_tag_says_mine_to_the_owner_and_to_nobody_else(void **state)
{
    (void)state;
    assert_true(hp_hot_set(GRAIN, 3, hp_line_offset(0), record));

    uint64_t mixed = hp_relaxed_xor(&hp_hot.tag[(uint16_t)GRAIN], GRAIN);

    assert_int_equal(mixed, hp_owner_tag(3));
    assert_int_not_equal(mixed, hp_owner_tag(2));
    hp_hot_clear(GRAIN);
}

static void of_two_grains_that_share_an_entry_the_first_keeps_it(void **state)
{
    (void)state;
    uint64_t twin = GRAIN + HP_HOT_ENTRIES;
    assert_true(hp_hot_set(GRAIN, 3, hp_line_offset(0), record));

    assert_false(hp_hot_set(twin, 3, hp_line_offset(0), other_record));

    assert_ptr_equal(hp_hot_slab(GRAIN), record);
    assert_null(hp_hot_slab(twin));
    hp_hot_clear(twin);
    assert_ptr_equal(hp_hot_slab(GRAIN), record);
    hp_hot_clear(GRAIN);
}

static void a_cleared_entry_serves_the_other_grain(void **state)
{
    (void)state;
    uint64_t twin = GRAIN + HP_HOT_ENTRIES;
    assert_true(hp_hot_set(GRAIN, 3, hp_line_offset(0), record));

    hp_hot_clear(GRAIN);

    assert_null(hp_hot_slab(GRAIN));
    assert_true(hp_hot_set(twin, 4, hp_line_offset(0), other_record));
    assert_ptr_equal(hp_hot_slab(twin), other_record);
    hp_hot_clear(twin);
}

enum { TURNS = 20000 };

/* Takes the entry for its own grain, looks it up, clears it; the other thread does so with the twin. */
static void *take_turns(void *argument)
{
    char *mine = argument;
    uint64_t grain = mine == record ? GRAIN : GRAIN + HP_HOT_ENTRIES;
    uint64_t wrong = 0;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        if (hp_hot_set(grain, 1, hp_line_offset(0), mine)) {
            wrong += hp_hot_slab(grain) != mine;
            hp_hot_clear(grain);
        }
    }
    return (void *)(uintptr_t)wrong;
}

static void two_threads_that_share_an_entry_each_find_their_own_slab_in_it(void **state)
{
    (void)state;
    pthread_t other;
    void *wrong_of_other;
    assert_int_equal(pthread_create(&other, NULL, take_turns, other_record), 0);

    void *wrong = take_turns(record);

    pthread_join(other, &wrong_of_other);
    assert_null(wrong);
    assert_null(wrong_of_other);
}

static void the_entry_that_NULL_looks_up_stays_empty(void **state)
{
    (void)state;
    uint64_t twin_of_null = (uint64_t)5 * HP_HOT_ENTRIES;

    assert_false(hp_hot_set(twin_of_null, 1, hp_line_offset(0), record));

    assert_null(hp_hot_slab(0));
    assert_null(hp_hot_slab(twin_of_null));
    assert_ptr_equal(hp_hot_record(&hp_hot, 0), hp_hot.no_slab);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(an_address_that_nobody_reserved_has_no_entry),
        SPEC(an_address_beyond_47_bits_has_no_entry),
        SPEC(an_entry_answers_for_every_byte_of_its_pages_and_no_other),
        SPEC(a_range_across_two_leaves_has_entries_in_both),
        SPEC(an_entry_is_retired_by_the_first_who_tries),
        SPEC(a_leaf_is_asked_of_the_system_once),
        SPEC(a_refused_leaf_refuses_the_reservation_and_can_be_tried_again),
        SPEC(a_range_beyond_47_bits_cannot_be_reserved),
        SPEC(an_entry_keeps_kind_and_record_apart),
        SPEC(the_entry_of_a_run_says_its_class_if_it_has_one),
        SPEC(the_entry_of_a_run_keeps_the_largest_region_and_chunk),
        SPEC(a_freed_entry_is_of_no_kind_and_differs_from_an_empty_one),
        SPEC(a_grain_that_was_set_finds_its_slab),
        SPEC(the_tag_says_mine_to_the_owner_and_to_nobody_else),
        SPEC(of_two_grains_that_share_an_entry_the_first_keeps_it),
        SPEC(a_cleared_entry_serves_the_other_grain),
        SPEC(two_threads_that_share_an_entry_each_find_their_own_slab_in_it),
        SPEC(the_entry_that_NULL_looks_up_stays_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
