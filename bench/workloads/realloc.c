/*
 * realloc: many blocks that grow by turns, each to a length of its own, then from the start again.
 *
 *   threads=1     scale=1.0
 *   what=vectors  each step grows a block by a factor and fills what is new, as a vector does
 *   what=strings  each step makes a block a few bytes longer, as a string builder without slack does
 *   factor=2.0    of vectors
 *   grown=64      blocks that each thread grows at the same time
 *   most=65536    the length in bytes that a block has in the end is drawn from 64 to this, as many from
 *                 each doubling
 *   steps=        calls of realloc in all, at scale 1
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/pages.h"
#include "support/random.h"
#include "support/team.h"

#include <string.h>

enum { FIRST_BYTES = 16, LEAST_BYTES = 64, APPENDED_AT_MOST_BYTES = 16 };

typedef struct workload {
    double factor; /* 0: strings */
    size_t grown;
    size_t most_bytes;
    uint64_t steps; /* per thread */
} workload;

typedef struct growing {
    unsigned char *address; /* NULL: not begun */
    size_t bytes;
    size_t end_bytes;
} growing;

static size_t next_bytes(const workload *self, const growing *block, bench_random *random)
{
    if (self->factor > 0) {
        return block->bytes == 0 ? FIRST_BYTES : (size_t)((double)block->bytes * self->factor);
    }
    return block->bytes + bench_random_between(random, 1, APPENDED_AT_MOST_BYTES);
}

/* All bytes of a block are the lowest byte of its number. */
static void check(const growing *block, unsigned char number)
{
    if (block->bytes > 0 &&
        (block->address[0] != number || block->address[block->bytes / 2] != number ||
         block->address[block->bytes - 1] != number)) {
        bench_fail("realloc lost the content of a block");
    }
}

static void end(growing *block, unsigned char number)
{
    check(block, number);
    free(block->address);
    *block = (growing){.address = NULL};
}

static void grow(growing *block, size_t bytes, unsigned char number)
{
    block->address = bench_keep(realloc(block->address, bytes));
    if (block->address == NULL) {
        bench_fail("realloc returned NULL");
    }
    check(block, number);
    memset(block->address + block->bytes, number, bytes - block->bytes);
    block->bytes = bytes;
}

static void grow_blocks(unsigned member, void *context)
{
    const workload *self = context;
    bench_random random = bench_random_seeded(member);
    growing *blocks = bench_pages(self->grown * sizeof *blocks);
    for (uint64_t step = 0; step < self->steps; step++) {
        size_t index = bench_random_below(&random, self->grown);
        unsigned char number = (unsigned char)(index + 1);
        growing *block = &blocks[index];
        size_t bytes = next_bytes(self, block, &random);
        if (bytes > block->end_bytes && block->bytes > 0) {
            end(block, number);
            bytes = next_bytes(self, block, &random);
        }
        if (block->bytes == 0) {
            block->end_bytes = bench_random_inverse(&random, LEAST_BYTES, self->most_bytes);
        }
        grow(block, bytes, number);
    }
    for (size_t index = 0; index < self->grown; index++) {
        end(&blocks[index], (unsigned char)(index + 1));
    }
    bench_pages_free(blocks, self->grown * sizeof *blocks);
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale what factor grown most steps");
    unsigned threads =
        (unsigned)bench_argument_within(argc, argv, "threads", 1, 1, BENCH_TEAM_AT_MOST);
    const char *what = bench_argument_text(argc, argv, "what", "vectors");
    double factor = bench_argument_real(argc, argv, "factor", 2.0);
    if ((strcmp(what, "vectors") != 0 && strcmp(what, "strings") != 0) || factor < 1.1) {
        bench_fail("what is vectors or strings, factor at least 1.1");
    }
    uint64_t steps =
        bench_argument_scaled(argc, argv, (uint64_t)bench_argument(argc, argv, "steps", 1000000));
    workload self = {
        .factor = strcmp(what, "vectors") == 0 ? factor : 0,
        .grown = bench_argument_within(argc, argv, "grown", 64, 1, 1 << 20),
        .most_bytes = bench_argument_within(argc, argv, "most", 65536, 2 * LEAST_BYTES, 1 << 30),
        .steps = (steps + threads - 1) / threads,
    };
    double seconds = bench_team_run(threads, grow_blocks, &self);
    return bench_result(seconds, self.steps * threads);
}
