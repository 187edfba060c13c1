/*
 * Blocks of 8 to 256 KiB: a freed one waits in the depot of the thread's owner and is the next one of its class.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arena/arena.h"
#include "cache/single.h"
#include "support/capture.h"
#include "thread_lines.h"

static const size_t a_slot_and_a_run[] = {16 << 10, 100000};
enum { BOTH = 2 };

static unsigned waiting(size_t bytes)
{
    return hp_depot_count(mine, hp_class_of(bytes));
}

static hp_region *region_of(const void *run)
{
    return hp_arena_region(hp_entry_region(hp_map_get(run)));
}

/* ---- there and back ---- */

static void a_freed_block_is_the_next_one_that_malloc_returns(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < BOTH; kind++) {
        size_t bytes = a_slot_and_a_run[kind];
        char *first = take(bytes);
        char *second = take(bytes);
        hepta_free(first);
        hepta_free(second);
        assert_int_equal(waiting(bytes), 2);

        assert_ptr_equal(take(bytes), second);
        assert_ptr_equal(take(bytes - 100), first);

        assert_int_equal(waiting(bytes), 0);
        hepta_free(first);
        hepta_free(second);
    }
}

static void neither_way_needs_a_claim(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < BOTH; kind++) {
        size_t bytes = a_slot_and_a_run[kind];
        char *block = take(bytes);
        hp_claim *claims[] = {
            &mine->claim,
            kind == 0 ? &slab_of(block)->owner->claim : &region_of(block)->claim,
        };
        hepta_free(block);
        unsigned claimed = hp_claim_try(claims[0]) + 2U * hp_claim_try(claims[1]);

        assert_ptr_equal(take(bytes), block);
        hepta_free(block);

        assert_int_equal(waiting(bytes), 1);
        for (unsigned index = 0; index < BOTH; index++) {
            if ((claimed >> index & 1) != 0) {
                hp_claim_release(claims[index]);
            }
        }
    }
}

static void a_slot_of_another_owner_waits_in_my_depot(void **state)
{
    (void)state;
    char *chunk = given_a_chunk_of_another_owner(16 << 10);
    hp_slab *slab = slab_of(chunk);
    hp_slab_note_out(slab, index_of(chunk));

    hepta_free(chunk);

    assert_int_equal(waiting(16 << 10), 1);
    assert_ptr_equal(take(16 << 10), chunk);
    hepta_free(chunk);
}

static void a_block_that_is_up_to_two_classes_larger_serves_rather_than_a_new_one(void **state)
{
    (void)state;
    char *run = take(80 << 10);
    hepta_free(run);

    char *smaller = take(40 << 10);
    assert_ptr_not_equal(smaller, run);
    assert_ptr_equal(take(64 << 10), run);

    assert_int_equal(hepta_malloc_usable_size(run), 80 << 10);
    hepta_free(run);
    hepta_free(smaller);
}

/* As a thread of that owner does it. */
static void free_as_thread_of(hp_owner *owner, void *block)
{
    hp_thread_flush(self);
    self->owner = owner;
    hepta_free(block);
    hp_depot_empty_hand(owner, &self->hand);
    hp_singles_empty_room(owner, &self->singles);
    self->owner = mine;
}

static void what_threads_of_another_owner_only_free_serves_before_a_new_block(void **state)
{
    (void)state;
    hp_owner *other = hp_owners_first() == mine ? hp_owners_next(mine) : hp_owners_first();
    for (unsigned kind = 0; kind < BOTH; kind++) {
        size_t bytes = a_slot_and_a_run[kind];
        char *block = take(bytes);
        free_as_thread_of(other, block);
        uint64_t counted_bytes = other->single_bytes;
        uint32_t spare_packs = hp_pack_count(&other->spare_packs);
        assert_int_equal(hp_depot_count(other, hp_class_of(bytes)), 1);

        assert_ptr_equal(take(bytes), block);

        assert_int_equal(other->single_bytes, counted_bytes - hp_pack_bytes(hp_class_of(bytes)));
        assert_int_equal(hp_pack_count(&other->spare_packs), spare_packs + 1);
        hepta_free(block);
        assert_int_equal(waiting(bytes), 1);
    }
}

static void an_aligned_block_is_one_that_is_aligned_so(void **state)
{
    (void)state;
    for (size_t align = 32; align <= (size_t)64 << 10; align *= 2) {
        for (unsigned kind = 0; kind < BOTH; kind++) {
            char *block = hepta_aligned_alloc(align, a_slot_and_a_run[kind]);
            hepta_free(block);
            char *again = hepta_aligned_alloc(align, a_slot_and_a_run[kind]);

            assert_int_equal((uintptr_t)again % align, 0);
            assert_true(again == block || align > 4096);
            hepta_free(again);
        }
    }
}

static void what_calloc_finds_there_is_cleared(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < BOTH; kind++) {
        size_t bytes = a_slot_and_a_run[kind];
        char *block = memset(take(bytes), 0x41, bytes);
        hepta_free(block);

        char *cleared = hepta_calloc(1, bytes);

        assert_ptr_equal(cleared, block);
        assert_int_equal(cleared[0] | cleared[bytes / 2] | cleared[bytes - 1], 0);
        hepta_free(cleared);
    }
}

/* ---- what it is called meanwhile ---- */

static void a_second_free_of_a_block_that_waits_is_reported(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < BOTH; kind++) {
        size_t bytes = a_slot_and_a_run[kind];
        char *block = take(bytes);
        char wanted[160];
        snprintf(
            wanted, sizeof wanted,
            "hepta: free(): double free of %p\nhepta: malloc_usable_size(): double free of %p\n",
            (void *)block, (void *)block);
        hepta_free(block);

        capture_begin();
        hepta_free(block);
        hepta_malloc_usable_size(block);

        assert_string_equal(capture_end(), wanted);
        assert_int_equal(waiting(bytes), 1);
    }
}

static void a_run_that_grows_is_of_its_new_class(void **state)
{
    (void)state;
    char *run = take(100000);
    size_t usable_bytes = hepta_malloc_usable_size(run);
    assert_int_equal(usable_bytes, hp_class_bytes(hp_class_of(100000)));
    assert_ptr_equal(hepta_realloc(run, usable_bytes), run);
    char *resized = hepta_realloc(run, 200000);

    assert_int_equal(hepta_malloc_usable_size(resized), hp_class_bytes(hp_class_of(200000)));
    hepta_free(resized);

    assert_int_equal(waiting(200000), 1);
    assert_ptr_equal(take(200000), resized);
    resized = hepta_realloc(resized, 300000);
    hepta_free(resized);
}

static void a_run_grows_into_a_neighbour_that_waits(void **state)
{
    (void)state;
    enum { RUNS = 8 };
    char *runs[RUNS];
    for (unsigned index = 0; index < RUNS; index++) {
        runs[index] = take(64 << 10);
    }
    unsigned left = 0;
    while (left < RUNS - 1 && runs[left + 1] != runs[left] + (64 << 10)) {
        left++;
    }
    assert_in_range(left, 0, RUNS - 2);
    hepta_free(runs[left + 1]);

    assert_ptr_equal(hepta_realloc(runs[left], 100000), runs[left]);

    assert_int_equal(waiting(64 << 10), 0);
    for (unsigned index = 0; index < RUNS; index++) {
        if (index != left + 1) {
            hepta_free(runs[index]);
        }
    }
}

/* ---- where it ends ---- */

static void when_the_depot_is_full_a_block_goes_where_it_came_from(void **state)
{
    (void)state;
    uint32_t bound_bytes = mine->single_bound_bytes;
    mine->single_bound_bytes = 0;
    char *slot = take(16 << 10);
    hp_slab *slab = slab_of(slot);
    uint32_t free_slots = slab->free->free_count;
    char *run = take(100000);

    hepta_free(slot);
    hepta_free(run);

    assert_int_equal(waiting(16 << 10) + waiting(100000), 0);
    assert_int_equal(slab->free->free_count, free_slots + 1);
    assert_ptr_equal(take(100000), run);
    hepta_free(run);
    mine->single_bound_bytes = bound_bytes;
}

static void runs_that_wait_serve_before_pages_without_memory_are_touched(void **state)
{
    (void)state;
    enum { RUNS = 24 };
    char *runs[RUNS];
    hp_arena_purge();
    for (unsigned index = 0; index < RUNS; index++) {
        runs[index] = take(64 << 10);
    }
    for (unsigned index = 0; index < RUNS; index++) {
        hepta_free(runs[index]);
    }
    assert_int_equal(waiting(64 << 10), RUNS);

    char *larger = take(512 << 10);

    assert_int_equal(waiting(64 << 10), 0);
    assert_in_range(larger, runs[0], runs[RUNS - 1]);
    hepta_free(larger);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, thread_setup, thread_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_freed_block_is_the_next_one_that_malloc_returns),
        SPEC(neither_way_needs_a_claim),
        SPEC(a_slot_of_another_owner_waits_in_my_depot),
        SPEC(a_block_that_is_up_to_two_classes_larger_serves_rather_than_a_new_one),
        SPEC(what_threads_of_another_owner_only_free_serves_before_a_new_block),
        SPEC(an_aligned_block_is_one_that_is_aligned_so),
        SPEC(what_calloc_finds_there_is_cleared),
        SPEC(a_second_free_of_a_block_that_waits_is_reported),
        SPEC(a_run_that_grows_is_of_its_new_class),
        SPEC(a_run_grows_into_a_neighbour_that_waits),
        SPEC(when_the_depot_is_full_a_block_goes_where_it_came_from),
        SPEC(runs_that_wait_serve_before_pages_without_memory_are_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
