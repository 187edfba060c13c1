/*
 * The hot map of grains, in front of the full map.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metadata/address_map.h"
#include "support/fake_system.h"

#define GRAIN ((uint64_t)0x1234567)

static _Alignas(64) char record[64];
static _Alignas(64) char other_record[64];

static void a_grain_that_was_set_finds_its_slab(void **state)
{
    (void)state;
    assert_null(hp_hot_slab(GRAIN));

    assert_true(hp_hot_set(GRAIN, 3, hp_line_offset(5), record));

    assert_ptr_equal(hp_hot_slab(GRAIN), record);
    assert_int_equal(hp_hot.line_offset[(uint16_t)GRAIN], HP_LINES_OFFSET_BYTES + 5 * 64);
    hp_hot_clear(GRAIN);
}

static void the_tag_says_mine_to_the_owner_and_to_nobody_else(void **state)
{
    (void)state;
    assert_true(hp_hot_set(GRAIN, 3, hp_line_offset(0), record));

    uint64_t mixed = hp_relaxed_xor(&hp_hot.tag[(uint16_t)GRAIN], GRAIN);

    assert_int_equal(mixed, hp_owner_tag(3));
    assert_int_not_equal(mixed, hp_owner_tag(2));
    hp_hot_clear(GRAIN);
}

static void of_two_grains_that_share_an_entry_the_first_keeps_it(void **state)
{
    (void)state;
    uint64_t twin = GRAIN + HP_HOT_ENTRIES;
    assert_true(hp_hot_set(GRAIN, 3, hp_line_offset(0), record));

    assert_false(hp_hot_set(twin, 3, hp_line_offset(0), other_record));

    assert_ptr_equal(hp_hot_slab(GRAIN), record);
    assert_null(hp_hot_slab(twin));
    hp_hot_clear(twin);
    assert_ptr_equal(hp_hot_slab(GRAIN), record);
    hp_hot_clear(GRAIN);
}

static void a_cleared_entry_serves_the_other_grain(void **state)
{
    (void)state;
    uint64_t twin = GRAIN + HP_HOT_ENTRIES;
    assert_true(hp_hot_set(GRAIN, 3, hp_line_offset(0), record));

    hp_hot_clear(GRAIN);

    assert_null(hp_hot_slab(GRAIN));
    assert_true(hp_hot_set(twin, 4, hp_line_offset(0), other_record));
    assert_ptr_equal(hp_hot_slab(twin), other_record);
    hp_hot_clear(twin);
}

enum { TURNS = 20000 };

/* Takes the entry for its own grain, looks it up, clears it; the other thread does so with the twin. */
static void a_hidden_entry_answers_nothing_and_is_no_other_grains_until_it_is_cleared(void **state)
{
    (void)state;
    uint64_t twin = GRAIN + HP_HOT_ENTRIES;
    assert_true(hp_hot_set(GRAIN, 3, hp_line_offset(5), record));

    hp_hot_hide(GRAIN);

    assert_null(hp_hot_slab(GRAIN));
    /* No thread has such a tag: none with a record, and none without. */
    uint64_t mixed = hp_relaxed_xor(&hp_hot.tag[(uint16_t)GRAIN], GRAIN);
    assert_false(hp_hot_is_other(mixed));
    assert_int_not_equal(mixed, UINT64_MAX);
    assert_false(hp_hot_set(twin, 3, hp_line_offset(6), other_record));
    hp_hot_clear(twin);
    assert_false(hp_hot_set(twin, 3, hp_line_offset(6), other_record));
    /* Who looked at the tag before finds the rest as it was. */
    assert_int_equal(hp_hot.line_offset[(uint16_t)GRAIN], hp_line_offset(5));
    assert_ptr_equal(hp_hot_record(&hp_hot, (uint16_t)GRAIN), record);

    hp_hot_clear(GRAIN);

    assert_true(hp_hot_set(twin, 3, hp_line_offset(6), other_record));
    hp_hot_clear(twin);
}

static void *take_turns(void *argument)
{
    char *mine = argument;
    uint64_t grain = mine == record ? GRAIN : GRAIN + HP_HOT_ENTRIES;
    uint64_t wrong = 0;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        if (hp_hot_set(grain, 1, hp_line_offset(0), mine)) {
            wrong += hp_hot_slab(grain) != mine;
            hp_hot_clear(grain);
        }
    }
    return (void *)(uintptr_t)wrong;
}

static void two_threads_that_share_an_entry_each_find_their_own_slab_in_it(void **state)
{
    (void)state;
    pthread_t other;
    void *wrong_of_other;
    assert_int_equal(pthread_create(&other, NULL, take_turns, other_record), 0);

    void *wrong = take_turns(record);

    pthread_join(other, &wrong_of_other);
    assert_null(wrong);
    assert_null(wrong_of_other);
}

static void the_entry_that_NULL_looks_up_stays_empty(void **state)
{
    (void)state;
    uint64_t twin_of_null = (uint64_t)5 * HP_HOT_ENTRIES;

    assert_false(hp_hot_set(twin_of_null, 1, hp_line_offset(0), record));

    assert_null(hp_hot_slab(0));
    assert_null(hp_hot_slab(twin_of_null));
    assert_ptr_equal(hp_hot_record(&hp_hot, 0), hp_hot.no_slab);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_grain_that_was_set_finds_its_slab),
        SPEC(the_tag_says_mine_to_the_owner_and_to_nobody_else),
        SPEC(of_two_grains_that_share_an_entry_the_first_keeps_it),
        SPEC(a_cleared_entry_serves_the_other_grain),
        SPEC(a_hidden_entry_answers_nothing_and_is_no_other_grains_until_it_is_cleared),
        SPEC(two_threads_that_share_an_entry_each_find_their_own_slab_in_it),
        SPEC(the_entry_that_NULL_looks_up_stays_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
