/*
 * The statistics: that the figures are about what the program did, and that nobody is waited for. Bounds
 * are lower bounds where chunks may lie in a thread's cache, which nobody else may look into.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "cache/thread.h"
#include "hepta/hepta.h"
#include "owner/inbox.h"
#include "owner/owner.h"
#include "service/statistics.h"

#define BLOCKS 4000u
#define BLOCK_BYTES 208u /* a class that nothing else here uses */

static void *blocks[BLOCKS];

static hp_statistics read_now(void)
{
    hp_statistics statistics;
    hp_statistics_read(&statistics);
    return statistics;
}

static void given_blocks(void)
{
    for (unsigned index = 0; index < BLOCKS; index++) {
        blocks[index] = hepta_malloc(BLOCK_BYTES);
        assert_non_null(blocks[index]);
    }
}

static void free_blocks(void)
{
    for (unsigned index = 0; index < BLOCKS; index++) {
        hepta_free(blocks[index]);
    }
}

/* A thread gets its cache only when it has done something. */
static int given_a_thread_with_a_cache(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 10000 && hp_self->owner == NULL; round++) {
        hepta_free(hepta_malloc(100));
    }
    return hp_self->owner != NULL ? 0 : -1;
}

/* Chunks of the class that are neither in a slab nor in the depot: with the program or in a line. */
static uint64_t chunks_out(const hp_statistics *statistics)
{
    const hp_class_statistics *row = &statistics->classes[hp_class_of(BLOCK_BYTES)];
    return row->slots - row->free_slots - row->depot_chunks;
}

static void then_sums_hold(const hp_statistics *statistics)
{
    assert_int_equal(statistics->mapped_bytes, statistics->region_bytes + statistics->huge_bytes +
                                                   statistics->metadata_bytes);
    assert_int_equal(statistics->in_use_bytes, statistics->region_used_bytes +
                                                   statistics->huge_bytes -
                                                   statistics->huge_kept_bytes);
    assert_true(statistics->region_used_bytes + statistics->region_free_bytes <=
                statistics->region_bytes);
}

/* ---- what is counted ---- */

static void blocks_show_in_the_row_of_their_class_and_in_the_totals(void **state)
{
    (void)state;
    hp_statistics before = read_now();
    given_blocks();
    hp_statistics during = read_now();
    free_blocks();
    hp_thread_flush(hp_self);
    hp_statistics after = read_now();

    assert_true(chunks_out(&during) >= chunks_out(&before) + BLOCKS);
    assert_true(during.in_use_bytes >= before.in_use_bytes + (uint64_t)BLOCKS * BLOCK_BYTES);
    assert_true(during.region_bytes > 0 && during.regions >= 1);
    assert_int_equal(chunks_out(&after), 0);
    assert_true(after.in_use_bytes <= during.in_use_bytes - (uint64_t)BLOCKS * BLOCK_BYTES);
    then_sums_hold(&before);
    then_sums_hold(&during);
    then_sums_hold(&after);
}

static void a_run_of_pages_takes_from_the_free_pages(void **state)
{
    (void)state;
    hepta_free(hepta_malloc(1000000));
    hp_statistics before = read_now();
    void *block = hepta_malloc(1000000);
    hp_statistics during = read_now();
    hepta_free(block);
    hp_statistics after = read_now();

    assert_true(during.region_free_bytes <= before.region_free_bytes - 1000000);
    assert_true(during.in_use_bytes >= before.in_use_bytes + 1000000);
    assert_int_equal(after.region_free_bytes, before.region_free_bytes);
}

static void a_mapping_of_its_own_is_huge_and_then_kept(void **state)
{
    (void)state;
    const uint64_t bytes = 20000000;
    hp_statistics before = read_now();
    void *block = hepta_malloc(bytes);
    hp_statistics during = read_now();
    hepta_free(block);
    hp_statistics after = read_now();

    assert_int_equal(during.huge_mappings, before.huge_mappings + 1);
    assert_true(during.huge_bytes >= before.huge_bytes + bytes);
    assert_true(during.in_use_bytes >= before.in_use_bytes + bytes);
    assert_true(after.huge_kept_bytes >= before.huge_kept_bytes + bytes);
    assert_true(after.in_use_bytes <= during.in_use_bytes - bytes);
    then_sums_hold(&after);
}

static void *free_the_blocks(void *argument)
{
    (void)argument;
    free_blocks();
    return NULL;
}

static void frees_by_another_thread_wait_in_the_inbox_of_a_busy_owner(void **state)
{
    (void)state;
    pthread_t freer;
    given_blocks();
    hp_statistics before = read_now();
    hp_owner *owner = hp_self->owner;
    assert_true(hp_claim_try(&owner->claim));
    owner->depot_bytes += 1 << 30; /* the depot takes none of them */
    assert_int_equal(pthread_create(&freer, NULL, free_the_blocks, NULL), 0);
    assert_int_equal(pthread_join(freer, NULL), 0);
    owner->depot_bytes -= 1 << 30;
    hp_statistics waiting = read_now();
    hp_inbox_drain(owner);
    hp_claim_release(&owner->claim);
    hp_statistics after = read_now();

    assert_int_equal(before.inbox_bytes, 0);
    assert_true(waiting.inbox_bytes >= (uint64_t)BLOCKS * BLOCK_BYTES);
    assert_int_equal(after.inbox_bytes, 0);
}

/* ---- threads and owners ---- */

typedef struct guest {
    sem_t arrived;
    sem_t may_leave;
} guest;

static void *stay_a_while(void *argument)
{
    guest *self = argument;
    given_a_thread_with_a_cache(NULL);
    sem_post(&self->arrived);
    sem_wait(&self->may_leave);
    return NULL;
}

static void a_thread_is_counted_while_it_lives(void **state)
{
    (void)state;
    guest visitor;
    pthread_t thread;
    sem_init(&visitor.arrived, 0, 0);
    sem_init(&visitor.may_leave, 0, 0);
    hp_statistics before = read_now();
    assert_int_equal(pthread_create(&thread, NULL, stay_a_while, &visitor), 0);
    sem_wait(&visitor.arrived);
    hp_statistics during = read_now();
    sem_post(&visitor.may_leave);
    assert_int_equal(pthread_join(thread, NULL), 0);
    hp_statistics after = read_now();

    assert_int_equal(during.threads, before.threads + 1);
    assert_true(during.thread_caches >= during.threads);
    assert_int_equal(after.threads, before.threads);
    assert_int_equal(after.thread_caches, during.thread_caches);
}

static void a_busy_owner_is_counted_and_not_waited_for(void **state)
{
    (void)state;
    given_blocks();
    hp_statistics before = read_now();
    assert_true(hp_claim_try(&hp_self->owner->claim));
    hp_statistics busy = read_now();
    assert_true(hp_claim_is_taken(&hp_self->owner->claim));
    hp_claim_release(&hp_self->owner->claim);
    hp_statistics after = read_now();
    free_blocks();

    assert_int_equal(before.owners_busy, 0);
    assert_int_equal(busy.owners_busy, 1);
    assert_int_equal(busy.owners, before.owners);
    assert_true(busy.slab_bytes < before.slab_bytes);
    assert_int_equal(after.owners_busy, 0);
    assert_int_equal(after.slab_bytes, before.slab_bytes);
    then_sums_hold(&busy);
}

static atomic_bool enough;

static void *churn(void *argument)
{
    void *held[64] = {NULL};
    unsigned round = 0;
    while (!atomic_load(&enough)) {
        hepta_free(held[round % 64]);
        held[round % 64] = hepta_malloc((round * 97) % 70000);
        round++;
    }
    for (unsigned index = 0; index < 64; index++) {
        hepta_free(held[index]);
    }
    return argument;
}

static void the_sums_hold_while_others_work(void **state)
{
    (void)state;
    pthread_t threads[2];
    for (unsigned index = 0; index < 2; index++) {
        assert_int_equal(pthread_create(&threads[index], NULL, churn, NULL), 0);
    }
    for (unsigned round = 0; round < 2000; round++) {
        hp_statistics statistics = read_now();
        then_sums_hold(&statistics);
    }
    atomic_store(&enough, true);
    for (unsigned index = 0; index < 2; index++) {
        assert_int_equal(pthread_join(threads[index], NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_show_in_the_row_of_their_class_and_in_the_totals),
        cmocka_unit_test(a_run_of_pages_takes_from_the_free_pages),
        cmocka_unit_test(a_mapping_of_its_own_is_huge_and_then_kept),
        cmocka_unit_test(frees_by_another_thread_wait_in_the_inbox_of_a_busy_owner),
        cmocka_unit_test(a_thread_is_counted_while_it_lives),
        cmocka_unit_test(a_busy_owner_is_counted_and_not_waited_for),
        cmocka_unit_test(the_sums_hold_while_others_work),
    };
    return cmocka_run_group_tests_name("statistics", tests, given_a_thread_with_a_cache, NULL);
}
