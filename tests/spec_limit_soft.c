/*
 * A soft limit, above which free memory does not wait for its time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena/purge.h"
#include "hepta/hepta.h"
#include "platform/limit.h"
#include "platform/system.h"
#include "service/decay.h"
#include "service/purger.h"
#include "support/fake_system.h"

#define MIB ((size_t)1 << 20)

enum { BLOCKS = 40, DECAY_MS = 1000 };

static int setup(void **state)
{
    fake_system_setup(state);
    hepta_malloc_trim(0);
    return 0;
}

static int teardown(void **state)
{
    hp_limit_set_soft(HP_NO_LIMIT);
    return fake_system_teardown(state);
}

static void given_a_purger_and_freed_blocks(int64_t decay_ms)
{
    hp_purger_after_fork();
    hp_purger_set_thread(false);
    hp_purger_set_decay(decay_ms);
    void *blocks[BLOCKS];
    for (unsigned index = 0; index < BLOCKS; index++) {
        blocks[index] = memset(hepta_malloc(MIB), 1, MIB);
    }
    for (unsigned index = 0; index < BLOCKS; index++) {
        hepta_free(blocks[index]);
    }
    hp_purge_settle();
}

/* Looks for one step at a time, as long as something remains. */
static void one_look_later(void)
{
    fake.now_ms += DECAY_MS / 20;
    hp_purger_look(fake.now_ms, HP_PURGER_THREAD_PORTIONS);
}

static void above_the_soft_limit_free_memory_goes_at_the_next_look(void **state)
{
    (void)state;
    given_a_purger_and_freed_blocks(DECAY_MS);
    hp_limit_set_soft(20 * MIB);

    one_look_later();

    assert_in_range(hp_purge_dirty_pages() * hp_page_bytes(), 0, MIB);
}

static void below_it_the_curve_decides(void **state)
{
    (void)state;
    given_a_purger_and_freed_blocks(DECAY_MS);
    hp_limit_set_soft(1000 * MIB);

    one_look_later();

    assert_true(hp_purge_dirty_pages() * hp_page_bytes() > 35 * MIB);
}

/* A block that nobody touched is mapped, and has no memory. */
static void memory_that_was_never_touched_is_not_resident(void **state)
{
    (void)state;
    void *untouched = hepta_malloc(1000 * MIB);
    given_a_purger_and_freed_blocks(DECAY_MS);
    hp_limit_set_soft(500 * MIB);

    one_look_later();

    assert_true(hp_purge_dirty_pages() * hp_page_bytes() > 35 * MIB);
    hepta_free(untouched);
}

static void where_nothing_goes_by_its_age_the_soft_limit_is_kept_all_the_same(void **state)
{
    (void)state;
    given_a_purger_and_freed_blocks(HP_DECAY_NEVER);
    hp_limit_set_soft(1000 * MIB);
    one_look_later();
    fake.now_ms += 1000 * DECAY_MS;
    one_look_later();
    assert_true(hp_purge_dirty_pages() * hp_page_bytes() > 35 * MIB);

    hp_limit_set_soft(20 * MIB);
    one_look_later();

    assert_in_range(hp_purge_dirty_pages() * hp_page_bytes(), 0, MIB);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(above_the_soft_limit_free_memory_goes_at_the_next_look),
        SPEC(below_it_the_curve_decides),
        SPEC(memory_that_was_never_touched_is_not_resident),
        SPEC(where_nothing_goes_by_its_age_the_soft_limit_is_kept_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
