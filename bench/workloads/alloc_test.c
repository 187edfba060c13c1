/*
 * alloc_test: random replacement in a large pool of blocks whose sizes and lives follow power laws, as
 * the allocator test of OLogN Technologies (ITHare) says of itself.
 *
 * alloc_test [threads=1] [scale=1] [places=262144] [most=1024] [replacements=2000000]
 *
 * Sizes are 8 to `most` bytes in proportion to 1 / size. Every second replacement falls into the first
 * eighth of the thread's pool, every second of these into the first eighth of that, and so on: most
 * blocks live shortly and some for as long as the program. Every byte of a block is written when it
 * comes and read when it goes. `places` is the number of all threads together; a pool is filled first,
 * and emptied in the end.
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/random.h"
#include "support/result.h"
#include "support/team.h"

#include <string.h>

enum { LEAST_BYTES = 8, EIGHTHS_AT_MOST = 4 };

typedef struct alloc_test {
    size_t places; /* of one thread */
    size_t most_bytes;
    uint64_t replacements; /* of one thread */
} alloc_test;

static size_t draw_place(bench_random *random, size_t places)
{
    unsigned eighths =
        (unsigned)__builtin_ctzll(bench_random_next(random) >> 32 | 1 << EIGHTHS_AT_MOST);
    size_t some = places >> 3 * eighths;
    return bench_random_below(random, some > 0 ? some : 1);
}

static bench_block block_new(const alloc_test *self, bench_random *random)
{
    bench_block fresh =
        bench_block_new(bench_random_inverse(random, LEAST_BYTES, self->most_bytes));
    memset(fresh.address, bench_block_mark(&fresh), fresh.bytes);
    return fresh;
}

/* A block of one byte value equals itself moved by one byte. */
static void block_free(bench_block *block)
{
    if (memcmp(block->address, block->address + 1, block->bytes - 1) != 0) {
        bench_fail("the content of a block has changed");
    }
    bench_block_free(block);
}

static void work(unsigned member, void *context)
{
    const alloc_test *self = context;
    bench_random random = bench_random_seeded(member);
    bench_block *pool = bench_table_new(self->places);
    for (size_t i = 0; i < self->places; i++) {
        pool[i] = block_new(self, &random);
    }
    for (uint64_t i = 0; i < self->replacements; i++) {
        bench_block *place = &pool[draw_place(&random, self->places)];
        block_free(place);
        *place = block_new(self, &random);
    }
    for (size_t i = 0; i < self->places; i++) {
        block_free(&pool[i]);
    }
    free(pool);
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale places most replacements");
    unsigned threads = (unsigned)bench_argument_within(argc, argv, "threads", 1, 1, 256);
    alloc_test self = {
        .places = bench_argument_within(argc, argv, "places", 1 << 18, threads, 1 << 28),
        .most_bytes = bench_argument_within(argc, argv, "most", 1024, LEAST_BYTES, 1 << 20),
        .replacements = bench_argument_within(argc, argv, "replacements", 2000000, 1, 1000000000),
    };
    self.places /= threads;
    self.replacements = bench_argument_scaled(argc, argv, self.replacements);
    self.replacements = (self.replacements + threads - 1) / threads;
    double seconds = bench_team_run(threads, work, &self);
    return bench_result(seconds, threads * (self.places + self.replacements));
}
