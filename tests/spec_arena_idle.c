/*
 * The arena gives idle regions back, and uses their numbers before it takes new ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena_runs.h"
#include "metadata/storage.h"
#include "support/fake_system.h"

/* Its range is gone, all others are full. */
static hp_region *given_an_unmapped_region(void)
{
    given_full_regions();
    hp_run run = given_a_run(hp_page_bytes());
    give_back(&run);
    assert_true(hp_arena_unmap_idle() > 0);
    assert_int_equal(region_bytes(run.region->number), 0);
    fake_system_forget();
    return run.region;
}

static void a_region_of_which_nothing_is_out_is_unmapped(void **state)
{
    (void)state;
    given_full_regions();
    hp_run run = given_a_run(MIB);
    memset(run.start, 1, MIB);
    size_t bytes = region_bytes(run.region->number);
    give_back(&run);

    assert_int_equal(hp_arena_unmap_idle(), bytes);

    assert_int_equal(region_bytes(run.region->number), 0);
    assert_false(hp_claim_is_taken(&run.region->claim));
    assert_int_equal(hp_arena_unmap_idle(), 0);
}

static void regions_that_are_in_use_or_claimed_are_passed_by(void **state)
{
    (void)state;
    given_full_regions();
    hp_run kept = given_a_run(MIB);
    assert_int_equal(hp_arena_unmap_idle(), 0);
    give_back(&kept);
    assert_true(hp_region_claim(kept.region));

    assert_int_equal(hp_arena_unmap_idle(), 0);

    hp_region_release(kept.region);
    assert_true(hp_arena_unmap_idle() > 0);
}

static void an_unmapped_region_stays_listed_and_a_purge_passes_it_by(void **state)
{
    (void)state;
    hp_region *region = given_an_unmapped_region();

    assert_ptr_equal(hp_arena_region(region->number), region);
    assert_int_equal(hp_arena_purge(), 0);
}

/* However often: an address that was never used before costs a leaf of the map for good. */
static void a_range_that_was_given_back_comes_back_to_where_it_was(void **state)
{
    (void)state;
    given_an_unmapped_region();
    hp_run first = given_a_run(MIB);
    uint64_t records = hp_storage_mapped_bytes();
    for (unsigned round = 0; round < 8; round++) {
        give_back(&first);
        assert_true(hp_arena_unmap_idle() > 0);

        hp_run again = given_a_run(MIB);

        assert_ptr_equal(again.start, first.start);
        assert_int_equal(hp_storage_mapped_bytes(), records);
        first = again;
    }
}

static void a_region_whose_range_was_given_back_is_used_before_a_new_number(void **state)
{
    (void)state;
    hp_region *region = given_an_unmapped_region();
    unsigned regions = region_count();

    hp_run run = given_a_run(MIB);

    assert_ptr_equal(run.region, region);
    assert_int_equal(region_count(), regions);
    assert_true(run.zeroed);
    memset(run.start, 1, MIB);
    hp_run next = given_a_run(MIB);
    assert_ptr_equal(next.region, region);
}

static void the_next_region_is_a_quarter_of_what_is_mapped_now(void **state)
{
    (void)state;
    hp_region *region = given_an_unmapped_region();
    size_t mapped_bytes = 0;
    for (unsigned number = 0; number < region_count(); number++) {
        mapped_bytes += region_bytes(number);
    }

    given_a_run(hp_page_bytes());

    size_t wanted_bytes = hp_round_up(mapped_bytes / 4, HP_REGION_ALIGN_BYTES);
    assert_int_equal(region_bytes(region->number), wanted_bytes < 4 * MIB ? 4 * MIB : wanted_bytes);
}

static void an_unmapped_region_that_is_claimed_is_left_alone(void **state)
{
    (void)state;
    hp_region *region = given_an_unmapped_region();
    unsigned regions = region_count();
    assert_true(hp_region_claim(region));

    hp_run run = given_a_run(MIB);

    hp_region_release(region);
    assert_int_equal(run.region->number, regions);
    assert_int_equal(region_bytes(region->number), 0);
}

static void a_refused_range_leaves_the_region_unmapped_and_its_claim_open(void **state)
{
    (void)state;
    hp_region *region = given_an_unmapped_region();
    unsigned regions = region_count();
    hp_run run;
    fake.maps_left = 0;

    assert_false(hp_arena_take(MIB, hp_page_bytes(), &run));

    assert_int_equal(fake.mapped_bytes, 0);
    assert_int_equal(region_bytes(region->number), 0);
    assert_int_equal(region_count(), regions);
    assert_false(hp_claim_is_taken(&region->claim));
}

static void a_range_smaller_than_aimed_at_is_good_enough_for_it_too(void **state)
{
    (void)state;
    hp_region *region = given_an_unmapped_region();
    fake.map_limit_bytes = 6 * MIB; /* 2 MiB of them may have to be cut off */

    hp_run run = given_a_run(3 * MIB);

    assert_ptr_equal(run.region, region);
    assert_in_range(region_bytes(region->number), 4 * MIB, 6 * MIB);
}

/* Two regions whose ranges are mapped and of which nothing is out and nothing is dirty. */
static void given_two_spare_regions(hp_region *spare[2])
{
    given_full_regions();
    hp_run first = given_a_run(MIB);
    given_full_regions();
    hp_run second = given_a_run(MIB);
    assert_ptr_not_equal(first.region, second.region);
    spare[0] = first.region;
    spare[1] = second.region;
    for (unsigned place = 0; place < 2; place++) {
        assert_true(hp_region_claim(spare[place]));
        hp_bfc_init(&spare[place]->bfc, spare[place]->tables, spare[place]->bfc.page_count);
        hp_region_release(spare[place]);
    }
}

static void one_spare_region_stays_and_the_others_are_unmapped(void **state)
{
    (void)state;
    hp_arena_unmap_idle();
    hp_region *spare[2];
    given_two_spare_regions(spare);
    size_t bytes = region_bytes(spare[1]->number);

    assert_int_equal(hp_arena_unmap_spare(), bytes);

    assert_true(region_bytes(spare[0]->number) > 0);
    assert_int_equal(region_bytes(spare[1]->number), 0);
    assert_int_equal(hp_arena_unmap_spare(), 0);
}

static void a_spare_region_that_the_kernel_does_not_unmap_stays_in_use(void **state)
{
    (void)state;
    hp_arena_unmap_idle();
    hp_region *spare[2];
    given_two_spare_regions(spare);
    fake.refuse_unmap = true;

    assert_int_equal(hp_arena_unmap_spare(), 0);

    assert_true(region_bytes(spare[1]->number) > 0);
    assert_false(hp_claim_is_taken(&spare[1]->claim));
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_region_of_which_nothing_is_out_is_unmapped),
        SPEC(regions_that_are_in_use_or_claimed_are_passed_by),
        SPEC(an_unmapped_region_stays_listed_and_a_purge_passes_it_by),
        SPEC(a_range_that_was_given_back_comes_back_to_where_it_was),
        SPEC(a_region_whose_range_was_given_back_is_used_before_a_new_number),
        SPEC(the_next_region_is_a_quarter_of_what_is_mapped_now),
        SPEC(an_unmapped_region_that_is_claimed_is_left_alone),
        SPEC(a_refused_range_leaves_the_region_unmapped_and_its_claim_open),
        SPEC(a_range_smaller_than_aimed_at_is_good_enough_for_it_too),
        SPEC(one_spare_region_stays_and_the_others_are_unmapped),
        SPEC(a_spare_region_that_the_kernel_does_not_unmap_stays_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
