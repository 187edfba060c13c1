/*
 * What a region does with the pages of a run: grow it, shrink it, give free ones back to the system.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "region_runs.h"
#include "support/fake_system.h"

/* ---- resize ---- */

static void a_run_grows_into_its_free_right_neighbour(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t chunk = given_a_run(region, 10);

    assert_true(hp_region_resize(region, chunk, 25));

    assert_int_equal(hp_region_chunk_bytes(region, chunk), 25 * hp_page_bytes());
    assert_int_equal(atomic_load(&region->free_pages), region->bfc.page_count - 25);
}

static void a_run_with_a_used_right_neighbour_does_not_grow(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t chunk = given_a_run(region, 10);
    given_a_run(region, 1);

    assert_false(hp_region_resize(region, chunk, 11));

    assert_int_equal(hp_region_chunk_bytes(region, chunk), 10 * hp_page_bytes());
}

static void a_shrunk_run_gives_its_tail_back(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t chunk = given_a_run(region, 10);

    assert_true(hp_region_resize(region, chunk, 3));

    assert_int_equal(hp_region_chunk_bytes(region, chunk), 3 * hp_page_bytes());
    assert_int_equal(atomic_load(&region->free_pages), region->bfc.page_count - 3);
}

static void a_claimed_region_resizes_nothing_but_to_the_same_size(void **state)
{
    (void)state;
    hp_region *region = given_a_region();
    uint32_t chunk = given_a_run(region, 10);
    assert_true(hp_region_claim(region));

    assert_false(hp_region_resize(region, chunk, 11));
    assert_false(hp_region_resize(region, chunk, 9));
    assert_true(hp_region_resize(region, chunk, 10));

    hp_region_release(region);
}

/* ---- purge ---- */

/* Ten written pages that were freed, ten that are in use, the rest never touched. */
static hp_region *given_ten_dirty_pages(void)
{
    hp_region *region = given_a_region();
    uint32_t chunk = given_a_run(region, 10);
    given_a_run(region, 10);
    memset(hp_region_address(region, chunk), 0xaa, 20 * hp_page_bytes());
    hp_region_free(region, chunk);
    fake_system_forget();
    return region;
}

static void a_purge_gives_back_exactly_the_free_dirty_pages(void **state)
{
    (void)state;
    hp_region *region = given_ten_dirty_pages();
    assert_true(hp_region_claim(region));

    assert_int_equal(hp_region_purge(region), 10 * hp_page_bytes());

    hp_region_release(region);
    assert_int_equal(fake.discarded_bytes, 10 * hp_page_bytes());
    assert_int_equal(region->base[10 * hp_page_bytes() - 1], 0);
    assert_int_equal((unsigned char)region->base[10 * hp_page_bytes()], 0xaa);
}

static void purged_pages_are_not_purged_again(void **state)
{
    (void)state;
    hp_region *region = given_ten_dirty_pages();
    assert_true(hp_region_claim(region));
    hp_region_purge(region);

    assert_int_equal(hp_region_purge(region), 0);

    assert_int_equal(fake.discards_asked, 1);
    hp_region_release(region);
}

static void purged_pages_are_handed_out_as_clean(void **state)
{
    (void)state;
    hp_region *region = given_ten_dirty_pages();
    assert_true(hp_region_claim(region));
    hp_region_purge(region);

    uint32_t chunk = hp_region_allocate(region, 10, 1, HP_ANY_PAGES);

    assert_false(region->bfc.chunks[chunk].dirty);
    assert_int_equal(region->bfc.chunks[chunk].start_page, 0);
    hp_region_release(region);
}

static void pages_that_the_system_keeps_stay_dirty(void **state)
{
    (void)state;
    hp_region *region = given_ten_dirty_pages();
    fake.refuse_discard = true;
    assert_true(hp_region_claim(region));

    assert_int_equal(hp_region_purge(region), 0);

    uint32_t chunk = hp_region_allocate(region, 10, 1, HP_ANY_PAGES);
    assert_true(region->bfc.chunks[chunk].dirty);
    hp_region_release(region);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_run_grows_into_its_free_right_neighbour),
        SPEC(a_run_with_a_used_right_neighbour_does_not_grow),
        SPEC(a_shrunk_run_gives_its_tail_back),
        SPEC(a_claimed_region_resizes_nothing_but_to_the_same_size),
        SPEC(a_purge_gives_back_exactly_the_free_dirty_pages),
        SPEC(purged_pages_are_not_purged_again),
        SPEC(purged_pages_are_handed_out_as_clean),
        SPEC(pages_that_the_system_keeps_stay_dirty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
