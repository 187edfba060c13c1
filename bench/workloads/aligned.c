/*
 * aligned: blocks at addresses that are multiples of 16 to 4,096, by three functions in turn, replaced
 * at random.
 *
 *   threads=1    scale=1.0
 *   live=1000    blocks that each thread holds
 *   most=8192    sizes in bytes are drawn from 16 to this, as many from each doubling
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/pages.h"
#include "support/random.h"
#include "support/team.h"

#include <malloc.h>

enum { LEAST_BYTES = 16, ALIGNMENTS = 9, REPLACEMENTS = 2500000 };

typedef struct workload {
    size_t live;
    size_t most_bytes;
    uint64_t replacements; /* per thread */
} workload;

static bench_block new_aligned(bench_random *random, size_t bytes)
{
    size_t alignment = (size_t)16 << bench_random_below(random, ALIGNMENTS);
    void *address = NULL;
    switch (bench_random_below(random, 3)) {
    case 0:
        if (posix_memalign(&address, alignment, bytes) != 0) {
            bench_fail("posix_memalign failed");
        }
        break;
    case 1:
        /* C11 wants a multiple of the alignment. */
        bytes = (bytes + alignment - 1) & ~(alignment - 1);
        address = aligned_alloc(alignment, bytes);
        break;
    default:
        address = memalign(alignment, bytes);
        break;
    }
    bench_block block = bench_block_adopt(address, bytes);
    if ((uintptr_t)block.address % alignment != 0) {
        bench_fail("a block is misaligned");
    }
    return block;
}

static void replace_blocks(unsigned member, void *context)
{
    const workload *self = context;
    bench_random random = bench_random_seeded(member);
    bench_block *blocks = bench_pages(self->live * sizeof *blocks);
    for (uint64_t i = 0; i < self->replacements; i++) {
        bench_block *block = &blocks[bench_random_below(&random, self->live)];
        bench_block_free(block);
        *block = new_aligned(&random, bench_random_inverse(&random, LEAST_BYTES, self->most_bytes));
    }
    for (size_t i = 0; i < self->live; i++) {
        bench_block_free(&blocks[i]);
    }
    bench_pages_free(blocks, self->live * sizeof *blocks);
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale live most");
    unsigned threads =
        (unsigned)bench_argument_within(argc, argv, "threads", 1, 1, BENCH_TEAM_AT_MOST);
    workload self = {
        .live = bench_argument_within(argc, argv, "live", 1000, 1, 1 << 20),
        .most_bytes = bench_argument_within(argc, argv, "most", 8192, 2 * LEAST_BYTES, 1 << 30),
        .replacements = (bench_argument_scaled(argc, argv, REPLACEMENTS) + threads - 1) / threads,
    };
    double seconds = bench_team_run(threads, replace_blocks, &self);
    return bench_result(seconds, self.replacements * threads);
}
