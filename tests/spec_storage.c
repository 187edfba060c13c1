/*
 * Storage for records: zeroed, aligned, apart from each other, and modest when the system refuses.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "metadata/storage.h"
#include "platform/system.h"
#include "support/fake_system.h"

#define KIB ((size_t)1 << 10)

/* What a mapping of our own costs beside its pages: one on either side. */
#define APART_BYTES (2 * hp_page_bytes())

enum { THREADS = 3, RECORDS = 2000, RECORD_WORDS = 256 };

static bool is_zero(const char *record, size_t bytes)
{
    for (size_t byte = 0; byte < bytes; byte++) {
        if (record[byte] != 0) {
            return false;
        }
    }
    return true;
}

/* Uses up the block in use, so that the next take has to ask the system. */
static void given_a_used_up_block(void)
{
    fake_system_forget();
    while (fake.maps_asked == 0) {
        assert_non_null(hp_storage_take(32 * KIB));
    }
    for (unsigned taken = 0; taken < 4; taken++) {
        assert_non_null(hp_storage_take(31 * KIB));
    }
    fake_system_forget();
}

static void a_record_is_zeroed_and_starts_on_a_cache_line(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes < 300; bytes++) {
        char *record = hp_storage_take(bytes);

        assert_non_null(record);
        assert_int_equal((uintptr_t)record % 64, 0);
        assert_true(is_zero(record, bytes));
        memset(record, 0xff, bytes);
    }
}

static void a_small_record_costs_no_mapping_while_the_block_lasts(void **state)
{
    (void)state;
    assert_non_null(hp_storage_take(64));
    fake_system_forget();

    for (unsigned taken = 0; taken < 100; taken++) {
        assert_non_null(hp_storage_take(64));
    }

    assert_true(fake.maps_asked <= 1);
}

static void a_large_record_has_a_mapping_of_its_own_in_whole_pages(void **state)
{
    (void)state;
    fake_system_forget();
    size_t bytes = 40 * KIB + 1;

    char *record = hp_storage_take(bytes);

    assert_non_null(record);
    assert_int_equal(fake.maps_asked, 1);
    assert_int_equal(fake.map_bytes[0], hp_round_up(bytes, hp_page_bytes()) + APART_BYTES);
    assert_true(is_zero(record, bytes));
}

/* ---- mappings of our own ---- */

static void a_mapping_of_our_own_lies_between_two_pages_that_nobody_touches(void **state)
{
    (void)state;
    size_t page_bytes = hp_page_bytes();
    fake_system_forget();

    char *mapping = hp_storage_map(3 * page_bytes - 1);

    assert_int_equal(fake.map_bytes[0], 3 * page_bytes + APART_BYTES);
    assert_true(is_zero(mapping, 3 * page_bytes));
    memset(mapping, 0xff, 3 * page_bytes);
    assert_int_equal(hp_system->resident_bytes(mapping, page_bytes), page_bytes);
    assert_int_equal(hp_system->resident_bytes(mapping - page_bytes, page_bytes), 0);
    assert_int_equal(hp_system->resident_bytes(mapping + 3 * page_bytes, page_bytes), 0);
    assert_true(is_zero(mapping - page_bytes, page_bytes));
    assert_true(is_zero(mapping + 3 * page_bytes, page_bytes));
}

static void a_mapping_of_our_own_is_counted_until_it_is_given_back(void **state)
{
    (void)state;
    uint64_t before = hp_storage_mapped_bytes();
    fake_system_forget();

    void *mapping = hp_storage_map(10 * hp_page_bytes());
    assert_int_equal(hp_storage_mapped_bytes(), before + 10 * hp_page_bytes());
    hp_storage_unmap(mapping, 10 * hp_page_bytes());

    assert_int_equal(hp_storage_mapped_bytes(), before);
    assert_int_equal(fake.mapped_bytes, 0);
}

static void a_mapping_that_the_system_does_not_take_back_stays_counted(void **state)
{
    (void)state;
    char *mapping = hp_storage_map(hp_page_bytes());
    uint64_t before = hp_storage_mapped_bytes();
    fake.refuse_unmap = true;

    hp_storage_unmap(mapping, hp_page_bytes());

    assert_int_equal(hp_storage_mapped_bytes(), before);
    mapping[0] = 1;
}

static void every_mapping_is_counted(void **state)
{
    (void)state;
    uint64_t before = hp_storage_mapped_bytes();
    fake_system_forget();

    given_a_used_up_block();
    assert_non_null(hp_storage_take(64 * KIB));

    assert_true(hp_storage_mapped_bytes() >= before + 64 * KIB);
}

static void blocks_grow_with_what_is_mapped_and_stay_within_4_mib(void **state)
{
    (void)state;
    for (unsigned taken = 0; taken < 100; taken++) {
        assert_non_null(hp_storage_take(1024 * KIB));
    }

    given_a_used_up_block();
    while (fake.maps_asked == 0) {
        assert_non_null(hp_storage_take(32 * KIB));
    }

    assert_int_equal(fake.map_bytes[0], 4096 * KIB + APART_BYTES);
}

/* ---- refused ---- */

/* Neither the block in use nor one that was set aside has room for a record of 3 KiB. */
static void given_no_room_for_records(void)
{
    fake.maps_left = 0;
    while (hp_storage_take(3 * KIB) != NULL) {
    }
}

static void what_was_set_aside_serves_when_the_system_refuses(void **state)
{
    (void)state;
    given_no_room_for_records();
    fake.maps_left = 2;
    assert_true(hp_storage_set_aside(15 * KIB)); /* whole pages: 16 KiB, of which a head is used */
    assert_true(hp_storage_set_aside(4 * KIB));

    for (unsigned taken = 0; taken < 1 + 5; taken++) {
        char *record = hp_storage_take(3 * KIB);
        assert_non_null(record);
        assert_true(is_zero(record, 3 * KIB));
        memset(record, 0xff, 3 * KIB);
    }
    assert_null(hp_storage_take(3 * KIB));
}

static void what_was_set_aside_is_not_touched_while_the_system_grants(void **state)
{
    (void)state;
    given_no_room_for_records();
    fake.maps_left = 3;
    assert_true(hp_storage_set_aside(4 * KIB));
    fake_system_forget();

    assert_non_null(hp_storage_take(3 * KIB));

    assert_int_equal(fake.maps_asked, 1);
    given_a_used_up_block();
    fake.maps_left = 0;
    assert_non_null(hp_storage_take(3 * KIB));
}

static void a_system_that_refuses_to_set_aside_is_no_loss(void **state)
{
    (void)state;
    given_no_room_for_records();
    uint64_t mapped = hp_storage_mapped_bytes();

    assert_false(hp_storage_set_aside(64 * KIB));

    assert_int_equal(hp_storage_mapped_bytes(), mapped);
    assert_null(hp_storage_take(3 * KIB));
}

static void a_system_that_refuses_everything_gives_NULL_and_harms_nothing(void **state)
{
    (void)state;
    given_no_room_for_records();
    uint64_t mapped = hp_storage_mapped_bytes();
    assert_null(hp_storage_take(64 * KIB));

    fake.maps_left = 1;

    assert_int_equal(hp_storage_mapped_bytes(), mapped);
    assert_non_null(hp_storage_take(3 * KIB));
}

/* Each thread marks its records; a record that two threads got would carry a wrong mark. */
static void *take_and_mark(void *argument)
{
    uint64_t **records = argument;
    for (unsigned index = 0; index < RECORDS; index++) {
        records[index] = hp_storage_take(RECORD_WORDS * sizeof(uint64_t));
        for (unsigned word = 0; word < RECORD_WORDS; word++) {
            records[index][word] += (uint64_t)(uintptr_t)&records[index];
        }
    }
    return NULL;
}

static void threads_that_take_at_the_same_time_get_records_apart(void **state)
{
    (void)state;
    static uint64_t *records[THREADS][RECORDS];
    pthread_t threads[THREADS];
    for (unsigned index = 0; index < THREADS; index++) {
        assert_int_equal(pthread_create(&threads[index], NULL, take_and_mark, records[index]), 0);
    }
    for (unsigned index = 0; index < THREADS; index++) {
        pthread_join(threads[index], NULL);
    }

    for (unsigned index = 0; index < THREADS * RECORDS; index++) {
        uint64_t **place = &records[index / RECORDS][index % RECORDS];
        for (unsigned word = 0; word < RECORD_WORDS; word++) {
            assert_int_equal((*place)[word], (uintptr_t)place);
        }
    }
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_record_is_zeroed_and_starts_on_a_cache_line),
        SPEC(a_small_record_costs_no_mapping_while_the_block_lasts),
        SPEC(a_large_record_has_a_mapping_of_its_own_in_whole_pages),
        SPEC(a_mapping_of_our_own_lies_between_two_pages_that_nobody_touches),
        SPEC(a_mapping_of_our_own_is_counted_until_it_is_given_back),
        SPEC(a_mapping_that_the_system_does_not_take_back_stays_counted),
        SPEC(every_mapping_is_counted),
        SPEC(blocks_grow_with_what_is_mapped_and_stay_within_4_mib),
        SPEC(what_was_set_aside_serves_when_the_system_refuses),
        SPEC(what_was_set_aside_is_not_touched_while_the_system_grants),
        SPEC(a_system_that_refuses_to_set_aside_is_no_loss),
        SPEC(a_system_that_refuses_everything_gives_NULL_and_harms_nothing),
        cmocka_unit_test(threads_that_take_at_the_same_time_get_records_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
