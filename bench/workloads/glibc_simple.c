/*
 * glibc_simple: so many blocks of one size, then all of them freed, as glibc's bench-malloc-simple says
 * of itself.
 *
 * glibc_simple [threads=1] [scale=1] [bytes=0] [blocks=0] [rounds=40]
 *
 * `blocks` is 25, 100, 400 and 1,600 in turn, `bytes` the powers of two from 8 to 4,096 in turn; a
 * value that is not 0 chooses one of them. A round is 1,600 blocks, in as many rows as that makes.
 * Threads share the rounds.
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/result.h"
#include "support/team.h"

enum { ROUND_BLOCKS = 1600, LEAST_BYTES = 8, MOST_BYTES = 4096, LEAST_BLOCKS = 25 };

typedef struct glibc_simple {
    size_t bytes;    /* 0: all */
    size_t blocks;   /* 0: all */
    uint64_t rounds; /* of one thread, for each pair of bytes and blocks */
} glibc_simple;

static void row(bench_block *table, size_t blocks, size_t bytes)
{
    for (size_t i = 0; i < blocks; i++) {
        table[i] = bench_block_new(bytes);
    }
    for (size_t i = 0; i < blocks; i++) {
        bench_block_free(&table[i]);
    }
}

static void rows_of(const glibc_simple *self, bench_block *table, size_t blocks, size_t bytes)
{
    for (uint64_t i = 0; i < self->rounds * (ROUND_BLOCKS / blocks); i++) {
        row(table, blocks, bytes);
    }
}

static void rounds_of(const glibc_simple *self, bench_block *table, size_t bytes)
{
    for (size_t blocks = LEAST_BLOCKS; blocks <= ROUND_BLOCKS; blocks *= 4) {
        if (self->blocks == 0 || self->blocks == blocks) {
            rows_of(self, table, blocks, bytes);
        }
    }
}

static void work(unsigned member, void *context)
{
    (void)member;
    const glibc_simple *self = context;
    bench_block table[ROUND_BLOCKS];
    for (size_t bytes = LEAST_BYTES; bytes <= MOST_BYTES; bytes *= 2) {
        if (self->bytes == 0 || self->bytes == bytes) {
            rounds_of(self, table, bytes);
        }
    }
}

/* How many of least, ratio * least, ... most the value 0 or one of them chooses. */
static uint64_t chosen(size_t value, size_t least, size_t ratio, size_t most)
{
    uint64_t count = 0;
    for (size_t each = least; each <= most; each *= ratio) {
        count += value == 0 || value == each;
    }
    if (count == 0) {
        bench_fail("bytes or blocks is none of those that there are");
    }
    return count;
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale bytes blocks rounds");
    unsigned threads = (unsigned)bench_argument_within(argc, argv, "threads", 1, 1, 256);
    glibc_simple self = {
        .bytes = bench_argument_within(argc, argv, "bytes", 0, 0, MOST_BYTES),
        .blocks = bench_argument_within(argc, argv, "blocks", 0, 0, ROUND_BLOCKS),
        .rounds = bench_argument_within(argc, argv, "rounds", 40, 1, 1000000000),
    };
    uint64_t pairs = chosen(self.bytes, LEAST_BYTES, 2, MOST_BYTES) *
                     chosen(self.blocks, LEAST_BLOCKS, 4, ROUND_BLOCKS);
    self.rounds = bench_argument_scaled(argc, argv, self.rounds);
    self.rounds = (self.rounds + threads - 1) / threads;
    double seconds = bench_team_run(threads, work, &self);
    return bench_result(seconds, threads * pairs * self.rounds * ROUND_BLOCKS);
}
