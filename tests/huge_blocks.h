/*
 * Huge blocks for tests, on the fake system. cmocka.h has to be included before.
 */
#pragma once

#include "arena/huge.h"
#include "arena/large.h"
#include "metadata/address_map.h"
#include "platform/system.h"
#include "support/fake_system.h"

#define MIB ((size_t)1 << 20)

/* Every test starts without kept mappings. */
static inline int huge_setup(void **state)
{
    fake_system_setup(state);
    hp_huge_purge();
    fake_system_forget();
    return 0;
}

static inline hp_huge *record_of(const void *start)
{
    hp_entry entry = hp_map_get(start);
    assert_int_equal(hp_entry_kind(entry), HP_KIND_HUGE);
    return hp_entry_record(entry);
}

static inline void give_back(void *start)
{
    assert_true(hp_large_free(hp_map_get(start), start));
}

/* What is mapped since the test began, without leaves of the address map and blocks of records. */
static inline int64_t mapped_for_blocks(void)
{
    int64_t bytes = fake.mapped_bytes;
    for (unsigned index = 0; index < fake.maps_asked; index++) {
        bytes -= fake.map_bytes[index] <= 4 * MIB ? (int64_t)fake.map_bytes[index] : 0;
    }
    return bytes;
}

/* So much of it that it counts as filled. */
static inline char *given_a_filled_block(size_t bytes)
{
    bool zeroed;
    char *start = hp_huge_allocate(bytes, 1, &zeroed);
    assert_non_null(start);
    memset(start, 7, bytes);
    return start;
}

/* Nothing of it is touched. */
static inline char *given_a_huge_block(size_t bytes)
{
    bool zeroed;
    char *start = hp_huge_allocate(bytes, 1, &zeroed);
    assert_non_null(start);
    return start;
}
