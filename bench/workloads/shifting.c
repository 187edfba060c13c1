/*
 * shifting: the sizes that a program uses move in the course of its life, and what is left of the old ones
 * lies among the new ones. The bytes alive stay the same; how much memory is occupied in the end tells how
 * much of it could not be used again.
 *
 *   threads=1    scale=1.0
 *   mib=64       alive, in all, at scale 1
 *   phases=16    sizes around 64 bytes, then more from phase to phase, to 16 KiB in the eighth, and down
 *                again; in each as many bytes are allocated as are alive
 */
#include "support/shifting.h"
#include "support/arguments.h"
#include "support/pages.h"
#include "support/parcel.h"
#include "support/random.h"
#include "support/team.h"

enum { LEAST_BYTES = 32, LIVE_AT_LEAST_BYTES = 256 << 10 };

typedef struct workload {
    size_t live_bytes; /* per thread */
    uint64_t phases;
} workload;

typedef struct heap {
    bench_parcel **parcels;
    size_t count;
    size_t bytes;
} heap;

static void free_any(heap *self, bench_random *random)
{
    size_t index = bench_random_below(random, self->count);
    self->bytes -= self->parcels[index]->bytes;
    bench_parcel_free(self->parcels[index]);
    self->parcels[index] = self->parcels[--self->count];
}

static void add(heap *self, bench_random *random, size_t bytes, size_t limit_bytes)
{
    while (self->bytes + bytes > limit_bytes) {
        free_any(self, random);
    }
    self->parcels[self->count++] = bench_parcel_new(bytes);
    self->bytes += bytes;
}

static uint64_t counts[BENCH_TEAM_AT_MOST];

static void live(unsigned member, void *context)
{
    const workload *self = context;
    bench_random random = bench_random_seeded(member);
    size_t records_bytes = self->live_bytes / LEAST_BYTES * sizeof(bench_parcel *);
    heap held = {.parcels = bench_pages(records_bytes)};
    for (uint64_t phase = 0; phase < self->phases; phase++) {
        for (uint64_t allocated = 0; allocated < self->live_bytes; counts[member]++) {
            size_t bytes = bench_shifting_bytes((unsigned)phase, &random);
            add(&held, &random, bytes, self->live_bytes);
            allocated += bytes;
        }
    }
    while (held.count > 0) {
        free_any(&held, &random);
    }
    bench_pages_free(held.parcels, records_bytes);
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale mib phases");
    unsigned threads =
        (unsigned)bench_argument_within(argc, argv, "threads", 1, 1, BENCH_TEAM_AT_MOST);
    size_t mib = bench_argument_within(argc, argv, "mib", 64, 1, 1 << 16);
    size_t phases =
        bench_argument_within(argc, argv, "phases", 2 * BENCH_SHIFTING_TURN, 1, 1 << 20);
    size_t live_bytes = bench_argument_scaled(argc, argv, mib << 20) / threads;
    workload self = {
        .live_bytes = live_bytes > LIVE_AT_LEAST_BYTES ? live_bytes : LIVE_AT_LEAST_BYTES,
        .phases = phases,
    };
    double seconds = bench_team_run(threads, live, &self);
    uint64_t operations = 0;
    for (unsigned i = 0; i < threads; i++) {
        operations += counts[i];
    }
    return bench_result_with(seconds, operations, "live_bytes", self.live_bytes * threads);
}
