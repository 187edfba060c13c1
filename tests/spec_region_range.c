/*
 * A region gives its range back, and gets another one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "metadata/address_map.h"
#include "metadata/storage.h"
#include "region_runs.h"
#include "support/fake_system.h"

/* The core's table and a pending link per page, in whole pages. */
static size_t tables_bytes(uint32_t page_count)
{
    size_t bytes = hp_round_up(hp_bfc_table_bytes(page_count), hp_page_bytes());
    return hp_round_up(bytes + page_count * sizeof(hp_stack_node), hp_page_bytes());
}

/* All of a region's mappings but its record. */
static int64_t mapped_for(uint32_t page_count)
{
    return (int64_t)(page_count * hp_page_bytes() + tables_bytes(page_count) + 2 * hp_page_bytes());
}

static size_t unmap(hp_region *region)
{
    assert_true(hp_region_claim(region));
    size_t bytes = hp_region_unmap(region);
    hp_region_release(region);
    return bytes;
}

static bool map(hp_region *region, size_t bytes, void *hint)
{
    assert_true(hp_region_claim(region));
    bool mapped = hp_region_map(region, bytes, hint);
    hp_region_release(region);
    return mapped;
}

static hp_region *given_an_unmapped_region(void)
{
    hp_region *region = given_a_region();
    assert_int_equal(unmap(region), 4 * MIB);
    fake_system_forget();
    return region;
}

static void then_it_has_no_pages(hp_region *region)
{
    assert_int_equal(atomic_load(&region->mapped_pages), 0);
    assert_int_equal(atomic_load(&region->free_pages), 0);
    assert_int_equal(atomic_load(&region->largest_free_pages), 0);
    assert_true(hp_region_claim(region));
    assert_int_equal(hp_region_allocate(region, 1, 1, HP_ANY_PAGES), HP_BFC_NONE);
    assert_int_equal(hp_region_purge(region), 0);
    hp_region_release(region);
}

/* ---- giving back ---- */

static void a_wholly_free_region_gives_back_its_range_and_its_tables(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint64_t records_bytes = hp_storage_mapped_bytes();
    fake_system_forget();

    assert_int_equal(unmap(region), 4 * MIB);

    assert_int_equal(fake.mapped_bytes, -mapped_for(PAGES(4 * MIB)));
    assert_int_equal(hp_storage_mapped_bytes(), records_bytes - tables_bytes(PAGES(4 * MIB)));
    then_it_has_no_pages(region);
}

static void a_region_of_which_a_page_is_out_is_not_given_back(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t chunk = given_a_run(region, 1);
    fake_system_forget();

    assert_int_equal(unmap(region), 0);

    assert_int_equal(fake.unmaps_asked, 0);
    memset(hp_region_address(region, chunk), 1, hp_page_bytes());
    hp_region_free(region, chunk);
    assert_int_equal(unmap(region), 4 * MIB);
}

static void a_free_that_waits_counts_as_free(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t chunk = given_a_run(region, 10);
    assert_true(hp_region_claim(region));
    hp_region_free(region, chunk);
    assert_int_equal(hp_region_unmap(region), 0); /* it came after the claim */
    hp_region_release(region);

    assert_int_equal(unmap(region), 4 * MIB);
}

static void a_range_that_the_system_does_not_take_back_stays_in_use(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    fake.refuse_unmap = true;

    assert_int_equal(unmap(region), 0);

    assert_int_equal(atomic_load(&region->mapped_pages), PAGES(4 * MIB));
    uint32_t chunk = given_a_run(region, PAGES(4 * MIB));
    memset(hp_region_address(region, chunk), 1, 4 * MIB);
}

static void nothing_is_given_back_twice(void **state)
{
    (void)state;
    hp_region *region = given_an_unmapped_region();

    assert_int_equal(unmap(region), 0);

    assert_int_equal(fake.unmaps_asked, 0);
}

/* ---- another range ---- */

static void an_unmapped_region_gets_another_range_of_any_size(void **state)
{
    (void)state;
    hp_region *region = given_an_unmapped_region();

    assert_true(map(region, 6 * MIB, NULL));

    assert_int_equal((uintptr_t)region->base % HP_REGION_ALIGN_BYTES, 0);
    assert_int_equal(atomic_load(&region->mapped_pages), PAGES(6 * MIB));
    then_all_is_one_free_chunk(region);
    uint32_t chunk = given_a_run(region, PAGES(6 * MIB));
    assert_false(region->bfc.chunks[chunk].dirty);
    memset(region->base, 1, 6 * MIB);
    hp_region_free(region, chunk);
    assert_int_equal(unmap(region), 6 * MIB);
}

static void another_range_costs_no_record_and_no_reserve(void **state)
{
    (void)state;
    hp_region *region = given_an_unmapped_region();
    char *before = hp_storage_take(64);
    assert_true(hp_map_reserve(far_border(0), 4 * MIB));
    fake_system_forget();

    assert_true(map(region, 4 * MIB, far_border(0)));

    assert_ptr_equal(region->base, far_border(0));
    assert_int_equal(fake.maps_asked, 2); /* range and tables */
    assert_int_equal(fake.mapped_bytes, mapped_for(PAGES(4 * MIB)));
    assert_ptr_equal(hp_storage_take(64), before + 64);
}

static void whichever_mapping_is_refused_the_region_stays_without_pages(void **state)
{
    (void)state;
    hp_region *region = given_an_unmapped_region();

    for (unsigned maps = 0; maps < 3; maps++) { /* range, tables, leaf */
        fake.maps_left = maps;

        assert_false(map(region, 4 * MIB, far_border(1)));

        assert_int_equal(fake.mapped_bytes, 0);
        then_it_has_no_pages(region);
    }
    fake.maps_left = 3;
    assert_true(map(region, 4 * MIB, far_border(1)));
}

static void a_range_that_has_memory_at_birth_is_told_anew(void **state)
{
    (void)state;
    hp_region *region = given_an_unmapped_region();
    fake.born_resident = true;

    assert_true(map(region, 4 * MIB, NULL));

    assert_true(region->born_resident);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_wholly_free_region_gives_back_its_range_and_its_tables),
        SPEC(a_region_of_which_a_page_is_out_is_not_given_back),
        SPEC(a_free_that_waits_counts_as_free),
        SPEC(a_range_that_the_system_does_not_take_back_stays_in_use),
        SPEC(nothing_is_given_back_twice),
        SPEC(an_unmapped_region_gets_another_range_of_any_size),
        SPEC(another_range_costs_no_record_and_no_reserve),
        SPEC(whichever_mapping_is_refused_the_region_stays_without_pages),
        SPEC(a_range_that_has_memory_at_birth_is_told_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
