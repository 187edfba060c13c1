/*
 * A region: its range, its claim, the frees that wait. Resizing and purging are in spec_region_pages.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "metadata/storage.h"
#include "region_runs.h"
#include "support/fake_system.h"

/* Of a region of 4 MiB: one part in 48, in whole pages. */
#define SET_ASIDE_BYTES hp_round_up(4 * MIB / 48, hp_page_bytes())

/* ---- the range ---- */

static void a_new_region_starts_on_a_border_of_2_mib_and_is_all_free(void **state)
{
    (void)state;
    hp_region *region = given_a_region();

    assert_int_equal((uintptr_t)region->base % HP_REGION_ALIGN_BYTES, 0);
    assert_int_equal(region->bfc.page_count, PAGES(4 * MIB));
    assert_int_equal(atomic_load(&region->largest_free_pages), PAGES(4 * MIB));
    assert_int_equal(atomic_load(&region->free_pages), PAGES(4 * MIB));
    region->base[0] = 1;
    region->base[4 * MIB - 1] = 1;
}

static void a_range_off_the_border_is_mapped_larger_and_cut_at_both_ends(void **state)
{
    (void)state;
    fake.ignore_hints = true;

    hp_region *region = given_a_region();

    size_t beside_bytes = 0; /* after two for the range: tables, leaf, reserve, records */
    for (unsigned index = 2; index < fake.maps_asked; index++) {
        beside_bytes += fake.map_bytes[index];
    }
    assert_int_equal((uintptr_t)region->base % HP_REGION_ALIGN_BYTES, 0);
    assert_int_equal(fake.mapped_bytes, 4 * MIB + beside_bytes);
    memset(region->base, 1, 4 * MIB);
}

static void a_refused_range_gives_NULL_and_leaves_nothing_mapped(void **state)
{
    (void)state;
    assert_non_null(hp_storage_take(64)); /* storage has its block */
    fake_system_forget();
    fake.map_limit_bytes = 2 * MIB;

    assert_null(hp_region_create(4 * MIB, NULL));

    assert_int_equal(fake.mapped_bytes, 0);
}

static void refused_tables_give_the_range_back(void **state)
{
    (void)state;
    assert_non_null(hp_storage_take(64));
    fake_system_forget();
    fake.maps_left = 1;

    assert_null(hp_region_create(4 * MIB, far_border(0)));

    assert_int_equal(fake.mapped_bytes, 0);
}

static void a_refused_region_uses_up_no_record(void **state)
{
    (void)state;
    char *before = hp_storage_take(64);
    fake.map_limit_bytes = 2 * MIB;

    for (unsigned tries = 0; tries < 8; tries++) {
        assert_null(hp_region_create(4 * MIB, NULL));
    }

    assert_ptr_equal(hp_storage_take(64), before + 64);
}

static void a_refused_reserve_gives_all_back_but_the_leaf_and_uses_up_no_record(void **state)
{
    (void)state;
    char *before = hp_storage_take(64);
    fake_system_forget();
    fake.maps_left = 3; /* range, tables, leaf */

    assert_null(hp_region_create(4 * MIB, far_border(1)));

    assert_int_equal(fake.maps_asked, 4);
    assert_int_equal(fake.map_bytes[3], SET_ASIDE_BYTES + 2 * hp_page_bytes());
    assert_int_equal(fake.mapped_bytes, fake.map_bytes[2]);
    assert_ptr_equal(hp_storage_take(64), before + 64);
}

/* The region's own record is the first that lies there. */
static void a_region_sets_room_for_records_aside(void **state)
{
    (void)state;
    fake.maps_left = 0;
    while (hp_storage_take(64) != NULL) { /* what the tests before left */
    }
    fake.maps_left = 4; /* range, tables, leaf, reserve: none for a block of records */
    assert_non_null(hp_region_create(4 * MIB, far_border(2)));
    unsigned records = 0;

    while (hp_storage_take(64) != NULL) {
        records++;
    }

    size_t used_bytes = 64 + hp_round_up(sizeof(hp_region), 64);
    assert_int_equal(records, (SET_ASIDE_BYTES - used_bytes) / 64);
}

static void a_region_that_has_memory_at_birth_says_so(void **state)
{
    (void)state;
    assert_false(given_a_region()->born_resident);

    fake.born_resident = true;

    assert_true(given_a_region()->born_resident);
}

/* ---- claim and pending list ---- */

static void a_claimed_region_refuses_a_second_claim(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    assert_true(hp_region_claim(region));

    assert_false(hp_region_claim(region));

    hp_region_release(region);
    assert_true(hp_region_claim(region));
}

static void a_free_of_an_open_region_is_worked_in_at_once(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t chunk = given_a_run(region, 10);
    assert_int_equal(atomic_load(&region->free_pages), region->bfc.page_count - 10);

    hp_region_free(region, chunk);

    assert_int_equal(atomic_load(&region->free_pages), region->bfc.page_count);
    then_all_is_one_free_chunk(region);
}

static void a_free_of_a_claimed_region_waits_for_the_next_claim(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t chunk = given_a_run(region, 10);
    assert_true(hp_region_claim(region));

    hp_region_free(region, chunk);
    assert_int_equal(region->bfc.chunks[chunk].state, HP_BFC_USED);
    hp_region_release(region);

    then_all_is_one_free_chunk(region);
}

static void all_frees_that_wait_are_worked_in_together(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t chunks[64];
    for (unsigned index = 0; index < 64; index++) {
        chunks[index] = given_a_run(region, 1 + index % 5);
    }
    assert_true(hp_region_claim(region));
    for (unsigned index = 0; index < 64; index++) {
        hp_region_free(region, chunks[index * 37 % 64]);
    }
    hp_region_release(region);

    then_all_is_one_free_chunk(region);
}

static void a_freed_run_carries_the_time_at_which_the_core_gets_it(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t chunk = given_a_run(region, 10);
    given_a_run(region, 1); /* keeps it from its free neighbour */
    hp_region_free(region, chunk);
    fake.now_ms = ((uint64_t)1 << 32) + 77777;

    assert_true(hp_region_claim(region));
    hp_region_settle(region);
    hp_region_release(region);

    assert_int_equal(region->bfc.chunks[chunk].freed_at_ms, 77777);
}

static void the_summary_is_what_the_core_said_at_the_last_release(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t whole = region->bfc.page_count;
    assert_true(hp_region_claim(region));
    hp_region_allocate(region, whole / 2, 1, HP_ANY_PAGES);
    assert_int_equal(atomic_load(&region->largest_free_pages), whole);

    hp_region_release(region);

    assert_int_equal(atomic_load(&region->largest_free_pages), whole - whole / 2);
    assert_int_equal(atomic_load(&region->free_pages), whole - whole / 2);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_new_region_starts_on_a_border_of_2_mib_and_is_all_free),
        SPEC(a_range_off_the_border_is_mapped_larger_and_cut_at_both_ends),
        SPEC(a_refused_range_gives_NULL_and_leaves_nothing_mapped),
        SPEC(refused_tables_give_the_range_back),
        SPEC(a_refused_region_uses_up_no_record),
        SPEC(a_refused_reserve_gives_all_back_but_the_leaf_and_uses_up_no_record),
        SPEC(a_region_sets_room_for_records_aside),
        SPEC(a_region_that_has_memory_at_birth_says_so),
        SPEC(a_claimed_region_refuses_a_second_claim),
        SPEC(a_free_of_an_open_region_is_worked_in_at_once),
        SPEC(a_free_of_a_claimed_region_waits_for_the_next_claim),
        SPEC(all_frees_that_wait_are_worked_in_together),
        SPEC(a_freed_run_carries_the_time_at_which_the_core_gets_it),
        SPEC(the_summary_is_what_the_core_said_at_the_last_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
