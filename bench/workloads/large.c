/*
 * large: large blocks that are replaced at random.
 *
 *   threads=1    scale=1.0
 *   live=64      blocks that each thread holds
 *   least= most= sizes in bytes, as many from each doubling (sizes=doublings) or evenly (sizes=even)
 *   touch=pages  one byte of each page is written; touch=ends: the first and the last byte only
 *   replace=     replacements in all, at scale 1
 *
 * With touch=pages what counts is whether memory that is there already is used again; with touch=ends
 * it is what the allocator itself does.
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/pages.h"
#include "support/random.h"
#include "support/team.h"

#include <stdbool.h>
#include <string.h>

enum { PAGE_BYTES = 4096 };

typedef struct workload {
    size_t live;
    size_t least_bytes;
    size_t most_bytes;
    bool is_even;
    bool touches_pages;
    uint64_t replacements; /* per thread */
} workload;

static size_t draw_bytes(const workload *self, bench_random *random)
{
    return self->is_even ? bench_random_between(random, self->least_bytes, self->most_bytes)
                         : bench_random_inverse(random, self->least_bytes, self->most_bytes);
}

/* A byte in the middle of each page, so that the marks of the block stay as they are. */
static void touch_pages(bench_block *block)
{
    for (size_t at = PAGE_BYTES / 2; at + 1 < block->bytes; at += PAGE_BYTES) {
        block->address[at] = bench_block_mark(block);
    }
}

static void check_pages(const bench_block *block)
{
    for (size_t at = PAGE_BYTES / 2; at + 1 < block->bytes; at += PAGE_BYTES) {
        if (block->address[at] != bench_block_mark(block)) {
            bench_fail("the content of a block has changed");
        }
    }
}

static void replace_blocks(unsigned member, void *context)
{
    const workload *self = context;
    bench_random random = bench_random_seeded(member);
    bench_block *blocks = bench_pages(self->live * sizeof *blocks);
    for (uint64_t i = 0; i < self->replacements; i++) {
        bench_block *block = &blocks[bench_random_below(&random, self->live)];
        if (self->touches_pages && block->address != NULL) {
            check_pages(block);
        }
        bench_block_free(block);
        *block = bench_block_new(draw_bytes(self, &random));
        if (self->touches_pages) {
            touch_pages(block);
        }
    }
    for (size_t i = 0; i < self->live; i++) {
        bench_block_free(&blocks[i]);
    }
    bench_pages_free(blocks, self->live * sizeof *blocks);
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale live least most sizes touch replace");
    unsigned threads =
        (unsigned)bench_argument_within(argc, argv, "threads", 1, 1, BENCH_TEAM_AT_MOST);
    uint64_t replacements =
        bench_argument_scaled(argc, argv, (uint64_t)bench_argument(argc, argv, "replace", 60000));
    workload self = {
        .live = bench_argument_within(argc, argv, "live", 64, 1, 1 << 20),
        .least_bytes = bench_argument_within(argc, argv, "least", 10 << 10, 16, 1 << 30),
        .is_even = strcmp(bench_argument_text(argc, argv, "sizes", "doublings"), "even") == 0,
        .touches_pages = strcmp(bench_argument_text(argc, argv, "touch", "pages"), "pages") == 0,
        .replacements = (replacements + threads - 1) / threads,
    };
    self.most_bytes =
        bench_argument_within(argc, argv, "most", 2 << 20, 2 * self.least_bytes, 1 << 30);
    double seconds = bench_team_run(threads, replace_blocks, &self);
    return bench_result(seconds, self.replacements * threads);
}
