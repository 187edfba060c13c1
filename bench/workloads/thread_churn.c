/*
 * thread_churn: waves of threads that live for a few hundred mallocs each. Half of what a thread
 * allocates is freed by itself, the rest by a thread of the next wave.
 *
 *   threads=16   in a wave      scale=1.0
 *   blocks=300   mallocs of each
 *   started=     threads in all, at scale 1
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/pages.h"
#include "support/random.h"
#include "support/team.h"

#include <pthread.h>

enum { LEAST_BYTES = 16, MOST_BYTES = 1024 };

typedef struct short_life {
    pthread_t thread;
    uint64_t seed;
    size_t count;
    bench_block *blocks; /* what the wave before left, then what this one leaves */
} short_life;

/* Every second block is freed again when the next one is there. */
static void *live(void *argument)
{
    short_life *self = argument;
    bench_random random = bench_random_seeded(self->seed);
    bench_block passing = {.address = NULL};
    for (size_t i = 0; i < self->count; i++) {
        bench_block new =
            bench_block_new(bench_random_inverse_square(&random, LEAST_BYTES, MOST_BYTES));
        if (i % 2 == 0) {
            bench_block_free(&passing);
            passing = new;
        } else {
            bench_block_free(&self->blocks[i / 2]);
            self->blocks[i / 2] = new;
        }
    }
    bench_block_free(&passing);
    return NULL;
}

static void wave(short_life *lives, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++) {
        if (pthread_create(&lives[i].thread, NULL, live, &lives[i]) != 0) {
            bench_fail("no more threads");
        }
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(lives[i].thread, NULL);
    }
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale blocks started");
    unsigned threads = (unsigned)bench_argument_within(argc, argv, "threads", 16, 1, 4096);
    size_t count = bench_argument_within(argc, argv, "blocks", 300, 2, 1 << 20);
    uint64_t waves =
        bench_argument_scaled(argc, argv, (uint64_t)bench_argument(argc, argv, "started", 8000)) /
            threads +
        1;
    short_life *lives = bench_pages(threads * sizeof *lives);
    bench_block *blocks = bench_pages(threads * (count / 2) * sizeof *blocks);
    double begin = bench_now();
    for (uint64_t number = 0; number < waves; number++) {
        for (unsigned i = 0; i < threads; i++) {
            /* The one that freed its own share last time gets its neighbour's now. */
            lives[i].blocks = blocks + (i + number) % threads * (count / 2);
            lives[i].seed = number * threads + i;
            lives[i].count = count;
        }
        wave(lives, threads);
    }
    double seconds = bench_now() - begin;
    for (size_t i = 0; i < threads * (count / 2); i++) {
        bench_block_free(&blocks[i]);
    }
    return bench_result(seconds, waves * threads * count);
}
