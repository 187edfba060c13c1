/*
 * Huge mappings: kept after the free, taken again, moved, stranded when the system will not unmap them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "huge_blocks.h"

/* ---- a mapping of its own ---- */

static void a_block_is_zeroed_and_found_by_its_first_page(void **state)
{
    (void)state;
    bool zeroed = false;

    char *start = hp_huge_allocate(5 * MIB + 1, 1, &zeroed);

    assert_true(zeroed);
    assert_int_equal(start[0] + start[5 * MIB], 0);
    assert_ptr_equal(record_of(start)->start, start);
    assert_int_equal(hp_huge_usable_bytes(record_of(start)), 5 * MIB + hp_page_bytes());
    give_back(start);
}

static void a_block_starts_at_any_alignment_that_is_asked_for(void **state)
{
    (void)state;
    for (size_t align = 16; align <= 64 * MIB; align *= 4) {
        bool zeroed;
        char *start = hp_huge_allocate(5 * MIB, align, &zeroed);

        assert_non_null(start);
        assert_int_equal((uintptr_t)start % align, 0);
        assert_true(hp_huge_usable_bytes(record_of(start)) >= 5 * MIB);
        memset(start, 1, 5 * MIB);
        give_back(start);
    }
}

static void a_size_that_no_mapping_can_have_is_refused_without_asking(void **state)
{
    (void)state;
    bool zeroed;

    assert_null(hp_huge_allocate(PTRDIFF_MAX, 1, &zeroed));
    assert_null(hp_huge_allocate(SIZE_MAX, 1, &zeroed));
    assert_null(hp_huge_allocate(PTRDIFF_MAX / 2 + 1, (size_t)PTRDIFF_MAX / 2 + 1, &zeroed));

    assert_int_equal(fake.maps_asked, 0);
}

static void the_totals_count_mappings_and_bytes(void **state)
{
    (void)state;
    hp_huge_totals before = hp_huge_count();

    char *start = given_a_huge_block(5 * MIB);
    hp_huge_totals with = hp_huge_count();
    give_back(start);
    hp_huge_totals kept = hp_huge_count();
    hp_huge_purge();

    hp_huge_totals after = hp_huge_count();

    assert_int_equal(with.mappings, before.mappings + 1);
    assert_int_equal(with.mapped_bytes, before.mapped_bytes + 5 * MIB);
    assert_int_equal(kept.mapped_bytes, with.mapped_bytes);
    assert_int_equal(kept.kept_bytes, 5 * MIB);
    assert_int_equal(after.mappings, before.mappings);
    assert_int_equal(after.mapped_bytes, before.mapped_bytes);
    assert_int_equal(after.kept_bytes, 0);
}

/* ---- kept ---- */

static void a_freed_block_is_kept_and_serves_the_next_request_of_its_size(void **state)
{
    (void)state;
    char *start = given_a_huge_block(5 * MIB);
    give_back(start);
    assert_int_equal(hp_map_get(start), HP_ENTRY_FREED);
    fake_system_forget();
    bool zeroed = true;

    char *again = hp_huge_allocate(5 * MIB, 1, &zeroed);

    assert_ptr_equal(again, start);
    assert_false(zeroed);
    assert_int_equal(fake.maps_asked + fake.unmaps_asked, 0);
    give_back(again);
}

static void a_kept_block_that_is_not_aligned_enough_is_left_alone(void **state)
{
    (void)state;
    fake.ignore_hints = true; /* one page behind a border of 2 MiB */
    char *start = given_a_huge_block(5 * MIB);
    give_back(start);
    bool zeroed;

    char *aligned = hp_huge_allocate(5 * MIB, 4 * MIB, &zeroed);

    assert_int_equal((uintptr_t)aligned % (4 * MIB), 0);
    assert_int_equal(hp_huge_count().kept_bytes, 5 * MIB);
    assert_ptr_equal(given_a_huge_block(5 * MIB), start);
    give_back(start);
    give_back(aligned);
}

static void of_kept_blocks_64_mib_keep_their_memory_and_the_others_their_range(void **state)
{
    (void)state;
    char *in_use = given_a_huge_block(100 * MIB);
    char *blocks[5];
    for (unsigned index = 0; index < 5; index++) {
        blocks[index] = given_a_filled_block(15 * MIB);
    }
    for (unsigned index = 0; index < 5; index++) {
        give_back(blocks[index]);
    }

    assert_int_equal(hp_huge_count().kept_bytes, 75 * MIB);
    assert_int_equal(fake.discarded_bytes, 15 * MIB);
    assert_int_equal(blocks[4][0] + blocks[4][15 * MIB - 1], 0);
    assert_int_equal(blocks[3][0], 7);
    give_back(in_use);
}

static void a_range_that_is_kept_without_memory_is_known_to_be_zeroed(void **state)
{
    (void)state;
    char *in_use = given_a_huge_block(65 * MIB);
    char *start = given_a_huge_block(65 * MIB);
    memset(start, 1, MIB);
    give_back(start);
    assert_int_equal(fake.discarded_bytes, 65 * MIB);
    bool zeroed = false;

    assert_ptr_equal(hp_huge_allocate(65 * MIB, 1, &zeroed), start);

    assert_true(zeroed);
    assert_int_equal(start[0], 0);
    give_back(start);
    give_back(in_use);
}

static void where_nothing_is_in_use_64_mib_are_kept(void **state)
{
    (void)state;
    give_back(given_a_huge_block(65 * MIB));
    assert_int_equal(mapped_for_blocks(), 0);
    char *one = given_a_huge_block(40 * MIB);
    char *other = given_a_huge_block(30 * MIB);
    give_back(one);
    give_back(other);

    assert_in_range(hp_huge_count().kept_bytes, 30 * MIB, 64 * MIB);
    assert_int_equal(mapped_for_blocks(), hp_huge_count().kept_bytes);
}

static void at_most_as_much_is_kept_as_is_in_use_and_at_most_256_mib(void **state)
{
    (void)state;
    char *in_use = given_a_huge_block(400 * MIB);
    give_back(given_a_huge_block(257 * MIB));
    assert_int_equal(mapped_for_blocks(), 400 * MIB);
    char *blocks[5];
    for (unsigned index = 0; index < 5; index++) {
        blocks[index] = given_a_huge_block(60 * MIB);
    }
    for (unsigned index = 0; index < 5; index++) {
        give_back(blocks[index]);
    }

    assert_int_equal(hp_huge_count().kept_bytes, 240 * MIB);
    assert_int_equal(mapped_for_blocks(), (400 + 240) * MIB);
    give_back(in_use);
}

static void a_range_without_memory_makes_room_for_a_block_that_has_some(void **state)
{
    (void)state;
    char *in_use = given_a_huge_block(300 * MIB);
    char *empty = given_a_huge_block(250 * MIB);
    char *filled = given_a_filled_block(10 * MIB);
    give_back(empty);
    fake_system_forget();

    give_back(filled);

    assert_int_equal(mapped_for_blocks(), -250 * (int64_t)MIB);
    assert_int_equal(hp_huge_count().kept_bytes, 10 * MIB);
    assert_int_equal(filled[0], 7);
    give_back(in_use);
}

static void kept_blocks_that_are_old_enough_are_unmapped(void **state)
{
    (void)state;
    void *older = given_a_huge_block(5 * MIB);
    void *younger = given_a_huge_block(7 * MIB);
    bool remains = false;
    give_back(older);
    fake.now_ms += 60;
    give_back(younger);

    assert_int_equal(hp_huge_decay((uint32_t)fake.now_ms + 39, 100, &remains), 0);
    assert_true(remains);
    assert_int_equal(hp_huge_decay((uint32_t)fake.now_ms + 40, 100, &remains), 5 * MIB);
    assert_true(remains);
    remains = false;
    assert_int_equal(hp_huge_decay((uint32_t)fake.now_ms + 100, 100, &remains), 7 * MIB);

    assert_false(remains);
    assert_int_equal(hp_huge_count().kept_bytes, 0);
}

static void a_purge_unmaps_all_that_is_kept(void **state)
{
    (void)state;
    char *one = given_a_huge_block(5 * MIB);
    char *other = given_a_huge_block(6 * MIB);
    give_back(one);
    give_back(other);

    assert_int_equal(hp_huge_purge(), 11 * MIB);

    assert_int_equal(mapped_for_blocks(), 0);
    assert_int_equal(hp_huge_purge(), 0);
}

static void a_block_that_was_aligned_is_kept_with_all_of_its_mapping(void **state)
{
    (void)state;
    bool zeroed;
    char *aligned = hp_huge_allocate(5 * MIB, 4 * MIB, &zeroed);
    size_t mapped_bytes = record_of(aligned)->mapped_bytes;
    give_back(aligned);

    char *again = given_a_huge_block(mapped_bytes);

    assert_int_equal(mapped_for_blocks(), mapped_bytes);
    memset(again, 1, mapped_bytes);
    give_back(again);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, huge_setup, fake_system_teardown)

static void what_was_mapped_for_the_alignments_sake_is_given_back(void **state)
{
    (void)state;
    bool zeroed;
    char *start = hp_huge_allocate(5 * MIB, 8 * MIB, &zeroed);

    assert_int_equal((uintptr_t)start % (8 * MIB), 0);
    assert_ptr_equal(record_of(start)->mapping, start);
    assert_int_equal(hp_huge_usable_bytes(record_of(start)), 5 * MIB);
    assert_int_equal(mapped_for_blocks(), 5 * MIB);
    give_back(start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(what_was_mapped_for_the_alignments_sake_is_given_back),
        SPEC(a_block_is_zeroed_and_found_by_its_first_page),
        SPEC(a_block_starts_at_any_alignment_that_is_asked_for),
        SPEC(a_size_that_no_mapping_can_have_is_refused_without_asking),
        SPEC(the_totals_count_mappings_and_bytes),
        SPEC(a_freed_block_is_kept_and_serves_the_next_request_of_its_size),
        SPEC(a_kept_block_that_is_not_aligned_enough_is_left_alone),
        SPEC(of_kept_blocks_64_mib_keep_their_memory_and_the_others_their_range),
        SPEC(a_range_that_is_kept_without_memory_is_known_to_be_zeroed),
        SPEC(where_nothing_is_in_use_64_mib_are_kept),
        SPEC(at_most_as_much_is_kept_as_is_in_use_and_at_most_256_mib),
        SPEC(a_range_without_memory_makes_room_for_a_block_that_has_some),
        SPEC(kept_blocks_that_are_old_enough_are_unmapped),
        SPEC(a_purge_unmaps_all_that_is_kept),
        SPEC(a_block_that_was_aligned_is_kept_with_all_of_its_mapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
