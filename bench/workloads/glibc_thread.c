/*
 * glibc_thread: each thread frees a random block of its table and allocates another one in its place,
 * as glibc's bench-malloc-thread says of itself.
 *
 * glibc_thread [threads=1] [scale=1] [places=1024] [least=4] [most=32768] [replacements=12000000]
 *
 * Sizes are `least` to `most` bytes in proportion to 1 / size^2: half of them are below 2 * least.
 * `places` is the number of each thread. All sizes and places are drawn in advance, 8,192 of them, and
 * taken in turn, so that the time is the allocator's; the table is full at the start.
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/random.h"
#include "support/result.h"
#include "support/team.h"

enum { DRAWS = 8192 };

typedef struct draw {
    uint32_t place;
    uint32_t bytes;
} draw;

typedef struct glibc_thread {
    size_t places;
    size_t least_bytes;
    size_t most_bytes;
    uint64_t replacements; /* of one thread */
} glibc_thread;

static void draw_all(const glibc_thread *self, bench_random *random, draw draws[DRAWS])
{
    for (size_t i = 0; i < DRAWS; i++) {
        draws[i].place = (uint32_t)bench_random_below(random, self->places);
        draws[i].bytes =
            (uint32_t)bench_random_inverse_square(random, self->least_bytes, self->most_bytes);
    }
}

static void work(unsigned member, void *context)
{
    const glibc_thread *self = context;
    bench_random random = bench_random_seeded(member);
    draw draws[DRAWS];
    draw_all(self, &random, draws);
    bench_block *table = bench_table_new(self->places);
    for (size_t i = 0; i < self->places; i++) {
        table[i] = bench_block_new(draws[i % DRAWS].bytes);
    }
    for (uint64_t i = 0; i < self->replacements; i++) {
        /* Another size for the same place in every turn. */
        bench_block *place = &table[draws[i % DRAWS].place];
        bench_block_free(place);
        *place = bench_block_new(draws[(i + i / DRAWS) % DRAWS].bytes);
    }
    bench_table_free(table, self->places);
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale places least most replacements");
    unsigned threads = (unsigned)bench_argument_within(argc, argv, "threads", 1, 1, 256);
    glibc_thread self = {
        .places = bench_argument_within(argc, argv, "places", 1024, 1, 1 << 24),
        .least_bytes = bench_argument_within(argc, argv, "least", 4, 1, 1 << 20),
        .replacements = bench_argument_within(argc, argv, "replacements", 12000000, 1, 1000000000),
    };
    self.most_bytes = bench_argument_within(argc, argv, "most", 32768, self.least_bytes, 1 << 24);
    self.replacements = bench_argument_scaled(argc, argv, self.replacements);
    self.replacements = (self.replacements + threads - 1) / threads;
    double seconds = bench_team_run(threads, work, &self);
    return bench_result(seconds, threads * (self.places + self.replacements));
}
