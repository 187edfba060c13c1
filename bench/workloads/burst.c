/*
 * burst: a burst of allocations, then most of it is freed, then a burst of other sizes, and so on: the
 * blocks that stay decide how much of what was freed can be used again.
 *
 *   threads=1    scale=1.0
 *   mib=64       of a burst, in all, at scale 1
 *   bursts=8     of sizes 16..64, 128..512, 1024..4096, 8..32 KiB in turn
 *   kept=10      per cent of all blocks that stay after each burst
 */
#include "support/arguments.h"
#include "support/pages.h"
#include "support/parcel.h"
#include "support/random.h"
#include "support/team.h"

enum { LEAST_BYTES = 16, RANGES = 4, BURST_AT_LEAST_BYTES = 64 << 10 };

typedef struct workload {
    size_t burst_bytes; /* per thread */
    uint64_t bursts;
    size_t kept_percent;
} workload;

static size_t draw_bytes(uint64_t burst, bench_random *random)
{
    static const size_t least_bytes[RANGES] = {16, 128, 1024, 8192};
    size_t least = least_bytes[burst % RANGES];
    return bench_random_between(random, least, 4 * least);
}

static size_t allocate_burst(bench_parcel **parcels, size_t bytes, uint64_t burst,
                             bench_random *random)
{
    size_t count = 0;
    for (size_t allocated = 0; allocated < bytes; count++) {
        parcels[count] = bench_parcel_new(draw_bytes(burst, random));
        allocated += parcels[count]->bytes;
    }
    return count;
}

/* Frees all but kept_percent, here and there; returns how many stay. */
static size_t free_most(bench_parcel **parcels, size_t count, size_t kept_percent,
                        bench_random *random)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (bench_random_below(random, 100) < kept_percent) {
            bench_parcel_check(parcels[i]);
            parcels[kept++] = parcels[i];
        } else {
            bench_parcel_free(parcels[i]);
        }
    }
    return kept;
}

static uint64_t counts[BENCH_TEAM_AT_MOST];

static void burst_by_burst(unsigned member, void *context)
{
    const workload *self = context;
    bench_random random = bench_random_seeded(member);
    /* At most half of the blocks stay, so that two bursts of the smallest are never exceeded. */
    size_t records_bytes = 2 * (self->burst_bytes / LEAST_BYTES + 1) * sizeof(bench_parcel *);
    bench_parcel **parcels = bench_pages(records_bytes);
    size_t kept = 0;
    for (uint64_t burst = 0; burst < self->bursts; burst++) {
        size_t count = allocate_burst(parcels + kept, self->burst_bytes, burst, &random);
        counts[member] += count;
        kept = free_most(parcels, kept + count, self->kept_percent, &random);
    }
    free_most(parcels, kept, 0, &random);
    bench_pages_free(parcels, records_bytes);
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale mib bursts kept");
    unsigned threads =
        (unsigned)bench_argument_within(argc, argv, "threads", 1, 1, BENCH_TEAM_AT_MOST);
    size_t mib = bench_argument_within(argc, argv, "mib", 64, 1, 1 << 16);
    size_t bursts = bench_argument_within(argc, argv, "bursts", 8, 1, 1 << 20);
    size_t burst_bytes = bench_argument_scaled(argc, argv, mib << 20) / threads;
    workload self = {
        .burst_bytes = burst_bytes > BURST_AT_LEAST_BYTES ? burst_bytes : BURST_AT_LEAST_BYTES,
        .bursts = bursts,
        .kept_percent = bench_argument_within(argc, argv, "kept", 10, 0, 40),
    };
    double seconds = bench_team_run(threads, burst_by_burst, &self);
    uint64_t operations = 0;
    for (unsigned i = 0; i < threads; i++) {
        operations += counts[i];
    }
    return bench_result(seconds, operations);
}
