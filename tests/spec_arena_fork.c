/*
 * A forked child, and a region that another thread held claimed at the fork: nobody will ever release it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena/purge.h"
#include "arena_runs.h"
#include "support/fake_system.h"

enum { RUNS = 64 };

static hp_run runs[RUNS];
static hp_region *claimed;

/* 64 MiB in several regions; the one of the first run is claimed, and its other runs are free and dirty. */
static int setup(void **state)
{
    fake_system_setup(state);
    for (unsigned index = 0; index < RUNS; index++) {
        runs[index] = given_a_run(MIB);
    }
    claimed = runs[0].region;
    for (unsigned index = 1; index < RUNS; index++) {
        if (runs[index].region == claimed) {
            give_back(&runs[index]);
            runs[index].region = NULL;
        }
    }
    hp_purge_settle();
    return !hp_region_claim(claimed);
}

static int teardown(void **state)
{
    if (hp_claim_is_taken(&claimed->claim)) {
        hp_region_release(claimed);
    }
    for (unsigned index = 0; index < RUNS; index++) {
        if (runs[index].region != NULL) {
            give_back(&runs[index]);
        }
    }
    hp_arena_purge();
    return fake_system_teardown(state);
}

static size_t bytes_of_all_regions(void)
{
    size_t bytes = 0;
    for (unsigned number = 0; number < region_count(); number++) {
        bytes += region_bytes(number);
    }
    return bytes;
}

/* The regions that can be claimed have nothing left. */
static void given_that_the_arena_has_to_grow(void)
{
    hp_run run;
    unsigned count = region_count();
    do {
        run = given_a_run(MIB);
    } while (run.region->number < count);
    give_back(&run);
}

static void the_child_grows_as_if_the_region_were_full(void **state)
{
    (void)state;
    hp_arena_after_fork();
    give_back(&runs[0]); /* a note that nobody reads */
    runs[0].region = NULL;
    size_t aimed = hp_round_up(bytes_of_all_regions() / 4, HP_REGION_ALIGN_BYTES);
    assert_true(aimed > 4 * MIB);
    unsigned count = region_count();

    given_that_the_arena_has_to_grow();

    assert_int_equal(region_bytes(count), aimed);
}

static void the_childs_purger_does_not_come_back_to_the_region(void **state)
{
    (void)state;
    hp_arena_purge();
    assert_true(hp_purge_dirty_pages() > 0);
    hp_arena_after_fork();
    give_back(&runs[0]);
    runs[0].region = NULL;
    bool remains = false;

    assert_int_equal(hp_purge_dirty_pages(), 0);
    hp_purge_settle();
    hp_purge_regions(UINT64_MAX, 0, 0, &remains);

    assert_false(remains);
}

static void if_the_caller_had_the_claim_its_release_takes_the_region_up_again(void **state)
{
    (void)state;
    hp_arena_purge();
    hp_arena_after_fork();

    hp_region_release(claimed);

    assert_false(hp_region_is_abandoned(claimed));
    assert_true(hp_purge_dirty_pages() > 0);
    assert_true(atomic_load(&claimed->watched));
    hp_run run = given_a_run(MIB);
    assert_ptr_equal(run.region, claimed);
    give_back(&run);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(the_child_grows_as_if_the_region_were_full),
        SPEC(the_childs_purger_does_not_come_back_to_the_region),
        SPEC(if_the_caller_had_the_claim_its_release_takes_the_region_up_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
