/*
 * Many ranges lose their memory by one call or by many, with the same result; huge pages are split before. With
 * the real kernel.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "platform/huge_pages.h"
#include "platform/system.h"

enum { RANGES = 4 };

static hp_address_range ranges[RANGES];
static char *mapped;

/* With a page between any two, which is to keep what is in it. */
static int setup(void **state)
{
    (void)state;
    size_t page_bytes = hp_page_bytes();
    mapped = hp_system->map(NULL, (2 * RANGES - 1) * page_bytes);
    assert_non_null(mapped);
    memset(mapped, 1, (2 * RANGES - 1) * page_bytes);
    for (unsigned index = 0; index < RANGES; index++) {
        ranges[index] = (hp_address_range){mapped + 2 * index * page_bytes, page_bytes};
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hp_system_use_batches(false);
    assert_true(hp_system->unmap(mapped, (2 * RANGES - 1) * hp_page_bytes()));
    return 0;
}

static bool is_zero(unsigned range)
{
    return *(char *)ranges[range].address == 0;
}

static void then_all_ranges_are_zero_and_what_is_between_is_not(void)
{
    for (unsigned index = 0; index < RANGES; index++) {
        assert_true(is_zero(index));
        assert_true(index == 0 || ((char *)ranges[index].address)[-1] == 1);
    }
}

static void all_ranges_are_discarded_one_by_one(void **state)
{
    (void)state;
    assert_int_equal(hp_system->discard_all(ranges, RANGES), RANGES);

    then_all_ranges_are_zero_and_what_is_between_is_not();
}

static void all_ranges_are_discarded_in_a_batch_if_there_is_one(void **state)
{
    (void)state;
    hp_system_use_batches(true);

    assert_int_equal(hp_system->discard_all(ranges, RANGES), RANGES);

    then_all_ranges_are_zero_and_what_is_between_is_not();
}

/* Locked pages are what the kernel keeps. */
static void the_first_range_that_is_refused_ends_it(void **state)
{
    for (unsigned refused = 0; refused < RANGES; refused++) {
        hp_system_use_batches(refused % 2 == 0);
        assert_int_equal(mlock(ranges[refused].address, ranges[refused].bytes), 0);
        errno = 0;

        assert_int_equal(hp_system->discard_all(ranges, RANGES), refused);

        assert_int_equal(errno, 0);
        for (unsigned index = 0; index < RANGES; index++) {
            assert_true(is_zero(index) == (index < refused));
        }
        teardown(state);
        setup(state);
    }
}

#define HUGE HP_HUGE_PAGE_BYTES

static void then_it_cuts(size_t start, size_t end, unsigned count, size_t first, size_t second)
{
    char *base = (char *)(16 * HUGE);
    char *cut[2] = {NULL, NULL};

    assert_int_equal(hp_huge_pages_cut(base + start, end - start, cut), count);

    assert_true(count < 1 || cut[0] == base + first);
    assert_true(count < 2 || cut[1] == base + second);
}

static void a_range_cuts_the_huge_pages_of_which_it_has_a_part(void **state)
{
    (void)state;
    size_t page = hp_page_bytes();
    then_it_cuts(0, HUGE, 0, 0, 0);
    then_it_cuts(0, 3 * HUGE, 0, 0, 0);
    then_it_cuts(0, HUGE - page, 1, 0, 0);
    then_it_cuts(page, HUGE, 1, page, 0);
    then_it_cuts(page, 2 * page, 1, page, 0);
    then_it_cuts(page, 3 * HUGE, 1, page, 0);
    then_it_cuts(0, HUGE + page, 1, HUGE, 0);
    then_it_cuts(HUGE - page, HUGE + page, 2, HUGE - page, HUGE);
    then_it_cuts(page, 4 * HUGE - page, 2, page, 4 * HUGE - 2 * page);
}

/* Of all processes: it can only be too large. */
static long count_splits(void)
{
    char line[128];
    long count = 0;
    FILE *file = fopen("/proc/vmstat", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL &&
           sscanf(line, "thp_split_page %ld", &count) != 1) {
    }
    fclose(file);
    return count;
}

static long huge_kib(void)
{
    char line[128];
    long kib = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL &&
           sscanf(line, "AnonHugePages: %ld", &kib) != 1) {
    }
    if (file != NULL) {
        fclose(file);
    }
    return kib;
}

static void a_huge_page_is_split_before_a_part_of_it_goes(void **state)
{
    (void)state;
    hp_huge_pages_set(HP_HUGE_PAGES_ALWAYS);
    char *room = hp_system->map(NULL, 2 * HUGE);
    assert_non_null(room);
    char *huge = (char *)hp_round_up((uintptr_t)room, HUGE);
    hp_huge_pages_advise(huge, HUGE);
    memset(huge, 1, HUGE);
    bool had_one = huge_kib() != 0;
    long before = count_splits();

    assert_true(hp_system->discard(huge + HUGE / 2, HUGE / 4));

    long after = count_splits();
    hp_huge_pages_set(HP_HUGE_PAGES_DEFAULT);
    assert_int_equal(huge[HUGE / 2 - 1], 1);
    assert_int_equal(huge[HUGE / 2], 0);
    assert_true(hp_system->unmap(room, 2 * HUGE));
    if (!had_one) {
        skip(); /* the kernel has none to give */
    }
    assert_true(after > before);
}

static void pages_in_memory_are_counted_however_many_there_are(void **state)
{
    (void)state;
    size_t page_bytes = hp_page_bytes();
    size_t page_count = 5000; /* more than the kernel is asked for at once */
    char *pages = hp_system->map(NULL, page_count * page_bytes);
    for (size_t page = 0; page < page_count; page += 1000) {
        pages[page * page_bytes] = 1;
    }
    hp_huge_pages_split(pages, page_count * page_bytes);
    /* Not put to the kernel, which may kill a small sandboxed process for it. */
    for (unsigned question = 0; question < HP_RESIDENT_WITHHELD; question++) {
        assert_int_equal(hp_system->resident_bytes(pages, page_bytes), SIZE_MAX);
    }

    assert_int_equal(hp_system->resident_bytes(pages, page_count * page_bytes), 5 * page_bytes);
    assert_int_equal(hp_system->resident_bytes(pages + page_bytes, 999 * page_bytes), 0);

    assert_true(hp_system->unmap(pages, page_count * page_bytes));
    assert_int_equal(hp_system->resident_bytes(pages, page_count * page_bytes), SIZE_MAX);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(all_ranges_are_discarded_one_by_one),
        SPEC(all_ranges_are_discarded_in_a_batch_if_there_is_one),
        SPEC(the_first_range_that_is_refused_ends_it),
        SPEC(a_range_cuts_the_huge_pages_of_which_it_has_a_part),
        SPEC(a_huge_page_is_split_before_a_part_of_it_goes),
        SPEC(pages_in_memory_are_counted_however_many_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
