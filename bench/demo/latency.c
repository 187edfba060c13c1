#include "latency.h"

#include "clock.h"

static uint64_t reading_cost_ticks;
static uint64_t first_ticks;
static uint64_t first_ns;

void latency_calibrate(void)
{
    enum { ROUNDS = 2000 };
    uint64_t cheapest_ticks = UINT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin_ticks = latency_begin_ticks();
        uint64_t elapsed_ticks = latency_end_ticks() - begin_ticks;
        if (elapsed_ticks < cheapest_ticks) {
            cheapest_ticks = elapsed_ticks;
        }
    }
    reading_cost_ticks = cheapest_ticks;
    first_ns = clock_now_ns();
    first_ticks = latency_begin_ticks();
}

/* Values below LATENCY_STEPS have a bucket each; above, the leading bit picks the doubling and the
 * next LATENCY_STEPS_LOG2 bits the step within it. */
static unsigned bucket_of(uint64_t ticks)
{
    if (ticks < LATENCY_STEPS) {
        return (unsigned)ticks;
    }
    unsigned shift = 63u - (unsigned)__builtin_clzll(ticks) - LATENCY_STEPS_LOG2;
    return (shift << LATENCY_STEPS_LOG2) + (unsigned)(ticks >> shift);
}

static uint64_t bucket_middle_ticks(unsigned bucket)
{
    if (bucket < 2 * LATENCY_STEPS) {
        return bucket;
    }
    unsigned shift = (bucket >> LATENCY_STEPS_LOG2) - 1;
    uint64_t low = (uint64_t)(LATENCY_STEPS + bucket % LATENCY_STEPS) << shift;
    return low + (1ull << shift) / 2;
}

void latency_record(latency_histogram *histogram, uint64_t elapsed_ticks)
{
    uint64_t ticks = elapsed_ticks > reading_cost_ticks ? elapsed_ticks - reading_cost_ticks : 0;
    histogram->counts[bucket_of(ticks)]++;
    histogram->total++;
}

void latency_merge(latency_histogram *into, const latency_histogram *from)
{
    for (unsigned bucket = 0; bucket < LATENCY_BUCKETS; bucket++) {
        into->counts[bucket] += from->counts[bucket];
    }
    into->total += from->total;
}

double latency_quantile_ns(const latency_histogram *histogram, double fraction)
{
    double elapsed_ns = (double)(clock_now_ns() - first_ns);
    double tick_ns = elapsed_ns / (double)(latency_begin_ticks() - first_ticks);
    double wanted = fraction * (double)histogram->total;
    double seen = 0;
    for (unsigned bucket = 0; bucket < LATENCY_BUCKETS && histogram->total > 0; bucket++) {
        seen += (double)histogram->counts[bucket];
        if (seen >= wanted) {
            return (double)bucket_middle_ticks(bucket) * tick_ns;
        }
    }
    return 0;
}
