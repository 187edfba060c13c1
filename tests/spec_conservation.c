/*
 * What threads have freed is free in the end, whoever claimed what in between: no chunk is lost on its way
 * between lines, reserves, depots, outboxes, inboxes and slabs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#include "hepta/hepta.h"
#include "service/statistics.h"

enum { THREADS = 16, BLOCKS = 1000, ROUNDS = 12 };

typedef struct worker {
    size_t least_bytes;
    size_t most_bytes;
    uint64_t random;
    struct worker *next; /* whose blocks this one frees */
    void *blocks[BLOCKS];
    pthread_barrier_t *barrier;
} worker;

/* xorshift64 (Marsaglia, "Xorshift RNGs", 2003) */
static size_t draw_bytes(worker *self)
{
    self->random ^= self->random << 13;
    self->random ^= self->random >> 7;
    self->random ^= self->random << 17;
    return self->least_bytes + self->random % (self->most_bytes - self->least_bytes + 1);
}

static void *work(void *argument)
{
    worker *self = argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned index = 0; index < BLOCKS; index++) {
            size_t bytes = draw_bytes(self);
            self->blocks[index] = index % 5 == 0 ? hepta_calloc(1, bytes) : hepta_malloc(bytes);
        }
        pthread_barrier_wait(self->barrier);
        worker *other = round % 2 == 0 ? self : self->next;
        for (unsigned index = 0; index < BLOCKS; index++) {
            hepta_free(other->blocks[index]);
        }
        pthread_barrier_wait(self->barrier);
    }
    return NULL;
}

static uint64_t bytes_in_use(void)
{
    static hp_statistics statistics;
    hepta_malloc_trim(0);
    hp_statistics_read(&statistics);
    return statistics.in_use_bytes;
}

static void run(size_t least_bytes, size_t most_bytes)
{
    static worker workers[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (unsigned index = 0; index < THREADS; index++) {
        workers[index] = (worker){.least_bytes = least_bytes,
                                  .most_bytes = most_bytes,
                                  .random = index + 1,
                                  .next = &workers[(index + 1) % THREADS],
                                  .barrier = &barrier};
        assert_int_equal(pthread_create(&threads[index], NULL, work, &workers[index]), 0);
    }
    for (unsigned index = 0; index < THREADS; index++) {
        pthread_join(threads[index], NULL);
    }
    pthread_barrier_destroy(&barrier);
}

static void expect_nothing_lost(size_t least_bytes, size_t most_bytes)
{
    hepta_free(hepta_malloc(1));
    uint64_t before = bytes_in_use();

    run(least_bytes, most_bytes);

    assert_int_equal(bytes_in_use(), before);
}

static void blocks_of_one_class_are_all_free_in_the_end(void **state)
{
    (void)state;
    expect_nothing_lost(64, 64);
}

static void blocks_of_all_small_classes_are_all_free_in_the_end(void **state)
{
    (void)state;
    expect_nothing_lost(1, 1024);
}

static void blocks_of_all_medium_classes_are_all_free_in_the_end(void **state)
{
    (void)state;
    expect_nothing_lost(1025, 8192);
}

static void blocks_of_any_size_are_all_free_in_the_end(void **state)
{
    (void)state;
    expect_nothing_lost(1, 60000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_one_class_are_all_free_in_the_end),
        cmocka_unit_test(blocks_of_all_small_classes_are_all_free_in_the_end),
        cmocka_unit_test(blocks_of_all_medium_classes_are_all_free_in_the_end),
        cmocka_unit_test(blocks_of_any_size_are_all_free_in_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
