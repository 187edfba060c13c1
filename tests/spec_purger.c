/*
 * Looks of the purger, one after the other, on a clock that the test moves on.
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena/arena.h"
#include "arena/huge.h"
#include "arena/purge.h"
#include "hepta/hepta.h"
#include "platform/system.h"
#include "service/purger.h"
#include "support/fake_system.h"

#define MIB ((size_t)1 << 20)

enum { DECAY_MS = 1000, MOST_BLOCKS = 4096 };

static void *blocks[MOST_BLOCKS];

/* Looks until nothing remains or the time is over; the time that it took. */
static uint64_t look_for(uint64_t most_ms)
{
    uint64_t begin_ms = fake.now_ms;
    uint32_t pause_ms;
    while ((pause_ms = hp_purger_look(fake.now_ms, HP_PURGER_THREAD_PORTIONS)) != 0 &&
           fake.now_ms - begin_ms < most_ms) {
        fake.now_ms += pause_ms;
    }
    return fake.now_ms - begin_ms;
}

static int setup(void **state)
{
    fake_system_setup(state);
    fake.now_ms = 1000000;
    hp_purger_after_fork(); /* as in a new process: no history, no thread */
    hp_purger_set_thread(false);
    hp_purger_set_decay(DECAY_MS);
    hepta_malloc_trim(0);
    look_for(10 * DECAY_MS);
    fake_system_forget();
    return 0;
}

static void given_freed_blocks(unsigned count, size_t bytes)
{
    for (unsigned index = 0; index < count; index++) {
        blocks[index] = hepta_malloc(bytes);
        assert_non_null(blocks[index]);
        memset(blocks[index], 1, bytes);
    }
    for (unsigned index = 0; index < count; index++) {
        hepta_free(blocks[index]);
    }
}

static void a_burst_goes_back_within_the_decay_time(void **state)
{
    (void)state;
    given_freed_blocks(100, MIB);
    hp_purge_settle();
    uint64_t dirty_pages = hp_purge_dirty_pages();
    assert_true(dirty_pages >= 100 * MIB / hp_page_bytes());

    look_for(DECAY_MS / 2);
    assert_in_range(hp_purge_dirty_pages(), dirty_pages / 3, dirty_pages * 2 / 3);
    look_for(DECAY_MS / 2 + DECAY_MS / 10);

    assert_int_equal(hp_purge_dirty_pages(), 0);
}

static void then_nothing_remains_and_regions_are_unmapped_but_one(void **state)
{
    (void)state;
    given_freed_blocks(100, MIB);
    int64_t mapped_bytes = fake.mapped_bytes;

    assert_in_range(look_for(10 * DECAY_MS), DECAY_MS, 3 * DECAY_MS);

    assert_int_equal(hp_purger_look(fake.now_ms, HP_PURGER_THREAD_PORTIONS), 0);
    assert_true(fake.mapped_bytes <= mapped_bytes - (int64_t)(90 * MIB));
}

static void small_blocks_go_back_within_three_times_the_decay_time(void **state)
{
    (void)state;
    given_freed_blocks(MOST_BLOCKS, 1000);

    assert_in_range(look_for(10 * DECAY_MS), DECAY_MS / 2, 3 * DECAY_MS);

    assert_int_equal(hp_purge_dirty_pages(), 0);
    assert_true(fake.discarded_bytes >= MOST_BLOCKS * 1000 * 9 / 10);
}

static void a_kept_mapping_goes_back_after_the_decay_time(void **state)
{
    (void)state;
    hepta_free(hepta_malloc(20 * MIB));
    assert_int_equal(hp_huge_count().kept_bytes, 20 * MIB);

    look_for(DECAY_MS / 2);
    assert_int_equal(hp_huge_count().kept_bytes, 20 * MIB);
    look_for(DECAY_MS);

    assert_int_equal(hp_huge_count().kept_bytes, 0);
}

static void a_block_that_comes_and_goes_all_the_time_costs_no_call(void **state)
{
    (void)state;
    given_freed_blocks(1, MIB);
    look_for(10 * DECAY_MS);
    fake_system_forget();

    for (unsigned step = 0; step < 200; step++) {
        given_freed_blocks(1, MIB);
        fake.now_ms += 10;
        hp_purger_look(fake.now_ms, HP_PURGER_THREAD_PORTIONS);
    }

    assert_int_equal(fake.discards_asked, 0);
}

static void with_decay_0_all_goes_back_at_the_next_look(void **state)
{
    (void)state;
    hp_purger_set_decay(0);
    hp_purger_after_fork();
    given_freed_blocks(20, MIB);
    hepta_free(hepta_malloc(20 * MIB));

    hp_purger_look(fake.now_ms, HP_PURGER_THREAD_PORTIONS);

    assert_int_equal(hp_purge_dirty_pages(), 0);
    assert_int_equal(hp_huge_count().kept_bytes, 0);
}

/* ---- ticks ---- */

static void make_slow_operations(unsigned count)
{
    for (unsigned index = 0; index < count; index++) {
        hepta_free(hepta_malloc(40000));
    }
}

static void slow_operations_tick_and_return_what_is_due(void **state)
{
    (void)state;
    given_freed_blocks(20, MIB);

    for (unsigned step = 0; step < 100; step++) {
        fake.now_ms += DECAY_MS / 20;
        make_slow_operations(HP_TICK_OPERATIONS);
    }

    assert_in_range(hp_purge_dirty_pages(), 0, 100);
}

static void between_two_steps_a_tick_does_nothing(void **state)
{
    (void)state;
    given_freed_blocks(20, MIB);
    make_slow_operations(HP_TICK_OPERATIONS);
    fake_system_forget();

    make_slow_operations(100 * HP_TICK_OPERATIONS);

    assert_int_equal(fake.discards_asked, 0);
}

static void with_decay_never_nobody_ticks(void **state)
{
    (void)state;
    hp_purger_set_decay(-1);
    given_freed_blocks(20, MIB);

    for (unsigned step = 0; step < 100; step++) {
        fake.now_ms += DECAY_MS;
        make_slow_operations(HP_TICK_OPERATIONS);
    }

    assert_int_equal(fake.discards_asked, 0);
    assert_int_equal(atomic_load(&hp_ticks_left), 0);
}

static void a_trim_returns_everything_whatever_the_decay(void **state)
{
    (void)state;
    hp_purger_set_decay(-1);
    given_freed_blocks(20, MIB);

    assert_int_equal(hepta_malloc_trim(0), 1);

    assert_int_equal(hp_purge_dirty_pages(), 0);
}

static void trim(void)
{
    hepta_malloc_trim(0);
}

static void a_trim_beside_a_purge_misses_nothing_that_is_out_with_the_purger(void **state)
{
    (void)state;
    given_freed_blocks(20, MIB);
    hp_purger_look(fake.now_ms, HP_PURGER_THREAD_PORTIONS);
    fake.now_ms += 2 * DECAY_MS;
    fake.when_discarding = trim;
    int64_t mapped_bytes = fake.mapped_bytes;

    hp_purger_look(fake.now_ms, HP_PURGER_THREAD_PORTIONS);

    assert_null(fake.when_discarding);
    assert_int_equal(hp_purge_dirty_pages(), 0);
    assert_true(fake.mapped_bytes <= mapped_bytes - (int64_t)(16 * MIB));
}

static void what_is_claimed_during_a_trim_goes_at_the_next_look(void **state)
{
    (void)state;
    given_freed_blocks(20, MIB);
    hp_purge_settle();
    for (uint32_t number = 0; hp_arena_region(number) != NULL; number++) {
        assert_true(hp_region_claim(hp_arena_region(number)));
    }
    hepta_malloc_trim(0);
    for (uint32_t number = 0; hp_arena_region(number) != NULL; number++) {
        hp_region_release(hp_arena_region(number));
    }
    assert_true(hp_purge_dirty_pages() >= 20 * MIB / hp_page_bytes());

    assert_true(hp_purger_look(fake.now_ms, HP_PURGER_THREAD_PORTIONS) != 0);

    assert_int_equal(hp_purge_dirty_pages(), 0);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_burst_goes_back_within_the_decay_time),
        SPEC(then_nothing_remains_and_regions_are_unmapped_but_one),
        SPEC(small_blocks_go_back_within_three_times_the_decay_time),
        SPEC(a_kept_mapping_goes_back_after_the_decay_time),
        SPEC(a_block_that_comes_and_goes_all_the_time_costs_no_call),
        SPEC(with_decay_0_all_goes_back_at_the_next_look),
        SPEC(slow_operations_tick_and_return_what_is_due),
        SPEC(between_two_steps_a_tick_does_nothing),
        SPEC(with_decay_never_nobody_ticks),
        SPEC(a_trim_returns_everything_whatever_the_decay),
        SPEC(a_trim_beside_a_purge_misses_nothing_that_is_out_with_the_purger),
        SPEC(what_is_claimed_during_a_trim_goes_at_the_next_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
