/*
 * The full map of pages, and its entries.
 */
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

static void a_leaf_that_was_taken_is_nobody_elses(void **state)
{
    (void)state;
    uintptr_t start = SOMEWHERE + 14 * LEAF_BYTES;
    hp_map_give_leaf(hp_map_take_leaf(), NULL); /* one is kept */
    fake.maps_left = 0;

    hp_map_leaf *mine = hp_map_take_leaf();
    assert_non_null(mine);
    assert_null(hp_map_take_leaf());
    assert_false(hp_map_reserve(address(start + LEAF_BYTES), PAGE_BYTES));
    hp_map_give_leaf(mine, address(start));

    assert_true(hp_map_reserve(address(start), PAGE_BYTES));
    assert_null(hp_map_take_leaf());
}

static void a_leaf_that_its_range_does_not_need_is_kept(void **state)
{
    (void)state;
    uintptr_t start = SOMEWHERE + 16 * LEAF_BYTES;
    assert_true(hp_map_reserve(address(start), PAGE_BYTES));
    hp_map_leaf *first = hp_map_take_leaf();
    hp_map_leaf *second = hp_map_take_leaf();
    unsigned mapped = fake.maps_asked;

    hp_map_give_leaf(first, address(start));
    hp_map_give_leaf(second, NULL); /* one is enough */

    assert_ptr_equal(hp_map_take_leaf(), first);
    assert_int_equal(fake.maps_asked, mapped);
    hp_map_give_leaf(first, NULL);
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
        SPEC(a_leaf_that_was_taken_is_nobody_elses),
        SPEC(a_leaf_that_its_range_does_not_need_is_kept),
        SPEC(a_range_beyond_47_bits_cannot_be_reserved),
        SPEC(an_entry_keeps_kind_and_record_apart),
        SPEC(the_entry_of_a_run_says_its_class_if_it_has_one),
        SPEC(the_entry_of_a_run_keeps_the_largest_region_and_chunk),
        SPEC(a_freed_entry_is_of_no_kind_and_differs_from_an_empty_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
