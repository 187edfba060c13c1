/*
 * Runs of the arena for tests, on the fake system. cmocka.h has to be included before.
 *
 * Regions stay listed for the life of the process, so the tests of a group see those of the tests
 * before them.
 */
#pragma once

#include "arena/arena.h"
#include "platform/system.h"

#define MIB ((size_t)1 << 20)

static inline unsigned region_count(void)
{
    unsigned count = 0;
    while (hp_arena_region(count) != NULL) {
        count++;
    }
    return count;
}

static inline size_t region_bytes(unsigned number)
{
    hp_region *region = hp_arena_region(number);
    return region->bfc.page_count * region->page_bytes;
}

static inline hp_run given_a_run(size_t bytes)
{
    hp_run run;
    assert_true(hp_arena_take(bytes, hp_page_bytes(), &run));
    return run;
}

static inline void give_back(const hp_run *run)
{
    hp_region_free(run->region, run->chunk);
}

/* Takes what the regions have left, so that the next request makes the arena grow. */
static inline void given_full_regions(void)
{
    unsigned count = region_count();
    for (unsigned number = 0; number < count; number++) {
        hp_region *region = hp_arena_region(number);
        assert_true(hp_region_claim(region));
        uint32_t pages;
        while ((pages = hp_bfc_largest_free_pages(&region->bfc)) > 0) {
            assert_int_not_equal(hp_region_allocate(region, pages, 1, HP_ANY_PAGES), HP_BFC_NONE);
        }
        hp_region_release(region);
    }
}
