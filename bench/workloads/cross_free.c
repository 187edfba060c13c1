/*
 * cross_free: threads replace blocks, and a share of them is freed by another thread than the one that
 * allocated it.
 *
 *   threads=2    scale=1.0
 *   cross=50     per cent of the blocks that go to another thread
 *   live=1000    blocks that each thread holds, with those under way to it
 *   least=16 most=1024   sizes in bytes, small ones more often
 *
 * Whatever the share is, each step is the same exchange of a pointer with a place that may be somebody
 * else's, so that the difference between two shares is the allocator's, and the cache misses of blocks
 * that another core wrote.
 */
#include "support/arguments.h"
#include "support/pages.h"
#include "support/parcel.h"
#include "support/random.h"
#include "support/team.h"

#include <stdatomic.h>

enum { STEPS = 10000000 };

typedef struct workload {
    unsigned threads;
    size_t cross_percent;
    size_t live;
    size_t least_bytes;
    size_t most_bytes;
    uint64_t steps; /* per thread */
    /* [thread * live + i]. The exchange is acquire and release: a parcel's content is seen by who frees
     * it. */
    _Atomic(bench_parcel *) *places;
} workload;

/* Somebody else's number, if this is a step for others. */
static unsigned draw_receiver(const workload *self, unsigned member, bench_random *random)
{
    if (self->threads == 1 || bench_random_below(random, 100) >= self->cross_percent) {
        return member;
    }
    unsigned other = (unsigned)bench_random_below(random, self->threads - 1);
    return other + (other >= member ? 1 : 0);
}

static void replace_blocks(unsigned member, void *context)
{
    const workload *self = context;
    bench_random random = bench_random_seeded(member);
    for (uint64_t i = 0; i < self->steps; i++) {
        bench_parcel *new = bench_parcel_new(
            bench_random_inverse_square(&random, self->least_bytes, self->most_bytes));
        unsigned receiver = draw_receiver(self, member, &random);
        size_t place = receiver * self->live + bench_random_below(&random, self->live);
        bench_parcel_free(
            atomic_exchange_explicit(&self->places[place], new, memory_order_acq_rel));
    }
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale cross live least most");
    workload self = {
        .threads = (unsigned)bench_argument_within(argc, argv, "threads", 2, 1, BENCH_TEAM_AT_MOST),
        .cross_percent = bench_argument_within(argc, argv, "cross", 50, 0, 100),
        .live = bench_argument_within(argc, argv, "live", 1000, 1, 1 << 20),
        .least_bytes = bench_argument_within(argc, argv, "least", 16, BENCH_PARCEL_BYTES, 1 << 20),
    };
    self.most_bytes = bench_argument_within(argc, argv, "most", 1024, self.least_bytes, 1 << 20);
    self.steps = bench_argument_scaled(argc, argv, STEPS) / self.threads + 1;
    self.places = bench_pages(self.threads * self.live * sizeof *self.places);
    double seconds = bench_team_run(self.threads, replace_blocks, &self);
    for (size_t place = 0; place < self.threads * self.live; place++) {
        bench_parcel_free(atomic_load_explicit(&self.places[place], memory_order_acquire));
    }
    return bench_result(seconds, self.steps * self.threads);
}
