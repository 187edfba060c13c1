/*
 * Regions for tests, on the fake system. cmocka.h has to be included before.
 */
#pragma once

#include "arena/purge.h"
#include "arena/region.h"
#include "platform/system.h"

#define MIB ((size_t)1 << 20)
#define PAGES(bytes) ((uint32_t)((bytes) / hp_page_bytes()))

/* Where nothing lies, so that a hint is granted; no two of them share a leaf of the address map. */
static inline void *far_border(unsigned number)
{
    return (void *)(((uintptr_t)1 << 45) + ((uintptr_t)(200 + number) << 30));
}

static inline hp_region *given_a_region(void)
{
    hp_region *region = hp_region_create(4 * MIB, NULL);
    assert_non_null(region);
    return region;
}

/* A run of pages, taken under the claim; the claim is open again. */
static inline uint32_t given_a_run(hp_region *region, uint32_t page_count)
{
    assert_true(hp_region_claim(region));
    uint32_t chunk = hp_region_allocate(region, page_count, 1, HP_ANY_PAGES);
    hp_region_release(region);
    assert_int_not_equal(chunk, HP_BFC_NONE);
    return chunk;
}

static inline void then_all_is_one_free_chunk(hp_region *region)
{
    assert_true(hp_region_claim(region));
    hp_region_settle(region);
    assert_int_equal(hp_bfc_largest_free_pages(&region->bfc), region->bfc.page_count);
    hp_region_release(region);
}
