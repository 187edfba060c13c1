/*
 * calloc: blocks that must be zero and are, checked word by word, then written all over so that what is
 * used again is dirty.
 *
 *   threads=1    scale=1.0
 *   live=1000    blocks that each thread holds
 *   least= most= sizes in bytes, rounded down to words of 8; as many from each doubling
 *   bytes=       bytes allocated in all, at scale 1
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/pages.h"
#include "support/random.h"
#include "support/team.h"

#include <string.h>

typedef struct workload {
    size_t live;
    size_t least_bytes;
    size_t most_bytes;
    uint64_t bytes; /* per thread */
} workload;

enum { DIRT = 0xa5 };

static void check_zero(const uint64_t *words, size_t count)
{
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) {
        all |= words[i];
    }
    if (all != 0) {
        bench_fail("calloc returned memory that is not zero");
    }
}

static bench_block new_zeroed(size_t words)
{
    void *address = bench_keep(calloc(words, sizeof(uint64_t)));
    if (address == NULL) {
        bench_fail("an allocation returned NULL");
    }
    check_zero(address, words);
    memset(address, DIRT, words * sizeof(uint64_t));
    return bench_block_adopt(address, words * sizeof(uint64_t));
}

static uint64_t replace_blocks_until(const workload *self, unsigned member, bench_block *blocks)
{
    bench_random random = bench_random_seeded(member);
    uint64_t count = 0;
    for (uint64_t bytes = 0; bytes < self->bytes; count++) {
        bench_block *block = &blocks[bench_random_below(&random, self->live)];
        bench_block_free(block);
        *block = new_zeroed(bench_random_inverse(&random, self->least_bytes, self->most_bytes) /
                            sizeof(uint64_t));
        bytes += block->bytes;
    }
    return count;
}

static uint64_t counts[BENCH_TEAM_AT_MOST];

static void replace_blocks(unsigned member, void *context)
{
    const workload *self = context;
    bench_block *blocks = bench_pages(self->live * sizeof *blocks);
    counts[member] = replace_blocks_until(self, member, blocks);
    for (size_t i = 0; i < self->live; i++) {
        bench_block_free(&blocks[i]);
    }
    bench_pages_free(blocks, self->live * sizeof *blocks);
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale live least most bytes");
    unsigned threads =
        (unsigned)bench_argument_within(argc, argv, "threads", 1, 1, BENCH_TEAM_AT_MOST);
    long bytes = bench_argument(argc, argv, "bytes", 1 << 30);
    workload self = {
        .live = bench_argument_within(argc, argv, "live", 1000, 1, 1 << 20),
        .least_bytes = bench_argument_within(argc, argv, "least", 16, 8, 1 << 30),
        .bytes = bench_argument_scaled(argc, argv, (uint64_t)bytes) / threads,
    };
    self.most_bytes =
        bench_argument_within(argc, argv, "most", 1024, 2 * self.least_bytes, 1 << 30);
    double seconds = bench_team_run(threads, replace_blocks, &self);
    uint64_t operations = 0;
    for (unsigned i = 0; i < threads; i++) {
        operations += counts[i];
    }
    return bench_result(seconds, operations);
}
