/*
 * threadtest: every thread allocates a row of equal blocks and frees it, again and again, and shares
 * nothing (Berger, McKinley, Blumofe and Wilson, "Hoard: a scalable memory allocator for multithreaded
 * applications", 2000).
 *
 * threadtest [threads=1] [scale=1] [objects=100000] [bytes=64] [rounds=200]
 *
 * `objects` is the number of all threads together, so that the work is the same for any number of them.
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/result.h"
#include "support/team.h"

typedef struct threadtest {
    size_t objects; /* of one thread */
    size_t bytes;
    uint64_t rounds;
} threadtest;

static void work(unsigned member, void *context)
{
    (void)member;
    const threadtest *self = context;
    bench_block *table = bench_table_new(self->objects);
    for (uint64_t round = 0; round < self->rounds; round++) {
        for (size_t i = 0; i < self->objects; i++) {
            table[i] = bench_block_new(self->bytes);
        }
        for (size_t i = 0; i < self->objects; i++) {
            bench_block_free(&table[i]);
        }
    }
    bench_table_free(table, self->objects);
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale objects bytes rounds");
    unsigned threads = (unsigned)bench_argument_within(argc, argv, "threads", 1, 1, 256);
    threadtest self = {
        .bytes = bench_argument_within(argc, argv, "bytes", 64, 1, 1 << 24),
        .objects = bench_argument_within(argc, argv, "objects", 100000, threads, 100000000),
        .rounds = bench_argument_within(argc, argv, "rounds", 200, 1, 1000000000),
    };
    self.objects /= threads;
    self.rounds = bench_argument_scaled(argc, argv, self.rounds);
    double seconds = bench_team_run(threads, work, &self);
    return bench_result(seconds, threads * self.rounds * self.objects);
}
