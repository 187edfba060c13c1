/*
 * latency: how long each malloc and each free takes, one by one.
 *
 *   what=replace       each thread replaces blocks at random among those that it holds
 *   what=handover      half of the threads, at least one, allocate, as many others free
 *   threads=1
 *   live=5000          blocks that each thread holds (replace)
 *   least=16 most=1024 sizes in bytes, small ones more often
 *   samples=1000000    of malloc and of free in the steady state, in all
 *
 * First each thread fills its table: these are the cold mallocs, and the first writes to what they
 * return, where the page faults are. Then all is replaced a few times without looking at the clock, so that
 * the memory is there; then come the samples. An interval with nothing in it is measured between
 * each malloc and free: whatever is in its distribution (the counter's own cost, interrupts, preemption, the
 * host) is in the others too, and nothing is subtracted.
 *
 * A line for each kind of call; times are in nanoseconds.
 */
#include "latency/histogram.h"
#include "latency/ticks.h"
#include "support/arguments.h"
#include "support/pages.h"
#include "support/random.h"
#include "support/ring.h"
#include "support/team.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

typedef enum call { COLD_MALLOC, COLD_TOUCH, MALLOC, FREE, NOTHING, CALLS } call;

static const char *const call_names[CALLS] = {"cold-malloc", "cold-touch", "malloc", "free",
                                              "nothing"};

enum { BATCH = 512, WARMING_ROUNDS = 4, RING_SLOTS = 1024 };

typedef struct workload {
    bool hands_over;
    unsigned threads;
    size_t live;
    size_t least_bytes;
    size_t most_bytes;
    uint64_t samples;  /* per thread, or per pair of threads */
    bench_ring *rings; /* per pair */
    struct meter *meters;
} workload;

/* What one thread has seen. */
typedef struct meter {
    histogram calls[CALLS];
    uint64_t faults; /* of the whole thread, as of the last batch's end */
    uint64_t preemptions;
    uint64_t steady_faults; /* in the samples of malloc and free */
    uint64_t steady_preemptions;
    unsigned in_batch;
} meter;

static void end_batch(meter *self)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    uint64_t faults = (uint64_t)(usage.ru_minflt + usage.ru_majflt) - self->faults;
    uint64_t preemptions = (uint64_t)usage.ru_nivcsw - self->preemptions;
    self->faults += faults;
    self->preemptions += preemptions;
    for (call kind = 0; kind < CALLS; kind++) {
        histogram_end_batch(&self->calls[kind], faults, preemptions);
    }
    self->steady_faults += faults;
    self->steady_preemptions += preemptions;
    self->in_batch = 0;
}

static void begin_steady_state(meter *self)
{
    end_batch(self);
    self->steady_faults = 0;
    self->steady_preemptions = 0;
}

static void count_in_batch(meter *self)
{
    if (++self->in_batch == BATCH) {
        end_batch(self);
    }
}

static void measure_nothing(meter *self)
{
    uint64_t begin = ticks_begin();
    histogram_add(&self->calls[NOTHING], ticks_end() - begin);
}

static void *measured_malloc(meter *self, call kind, size_t bytes)
{
    uint64_t begin = ticks_begin();
    void *address = bench_keep(malloc(bytes));
    histogram_add(&self->calls[kind], ticks_end() - begin);
    return address;
}

static void measured_free(meter *self, bench_parcel *parcel)
{
    bench_parcel_check(parcel);
    uint64_t begin = ticks_begin();
    free(parcel);
    histogram_add(&self->calls[FREE], ticks_end() - begin);
}

static bench_parcel *cold_parcel(meter *self, size_t bytes)
{
    void *address = measured_malloc(self, COLD_MALLOC, bytes);
    uint64_t begin = ticks_begin();
    bench_parcel *parcel = bench_parcel_adopt(address, bytes);
    histogram_add(&self->calls[COLD_TOUCH], ticks_end() - begin);
    return parcel;
}

static size_t draw_bytes(const workload *self, bench_random *random)
{
    return bench_random_inverse_square(random, self->least_bytes, self->most_bytes);
}

/* ---- replacement ------------------------------------------------------------------------------------- */

/* Every page of a block is written, so that the system has brought it. */
static bench_parcel *warm_parcel(size_t bytes)
{
    bench_parcel *parcel = bench_parcel_new(bytes);
    for (size_t at = BENCH_PARCEL_BYTES; at + 1 < bytes; at += 4096) {
        ((volatile unsigned char *)parcel)[at] = 0;
    }
    return parcel;
}

static void warm(const workload *self, bench_random *random, bench_parcel **parcels)
{
    for (size_t i = 0; i < WARMING_ROUNDS * self->live; i++) {
        bench_parcel **place = &parcels[bench_random_below(random, self->live)];
        bench_parcel_free(*place);
        *place = warm_parcel(draw_bytes(self, random));
    }
}

static void replace(const workload *self, meter *seen, unsigned member)
{
    bench_random random = bench_random_seeded(member);
    bench_parcel **parcels = bench_pages(self->live * sizeof *parcels);
    for (size_t i = 0; i < self->live; i++) {
        parcels[i] = cold_parcel(seen, draw_bytes(self, &random));
        count_in_batch(seen);
    }
    warm(self, &random, parcels);
    begin_steady_state(seen);
    for (uint64_t i = 0; i < self->samples; i++) {
        bench_parcel **place = &parcels[bench_random_below(&random, self->live)];
        measured_free(seen, *place);
        measure_nothing(seen);
        size_t bytes = draw_bytes(self, &random);
        *place = bench_parcel_adopt(measured_malloc(seen, MALLOC, bytes), bytes);
        count_in_batch(seen);
    }
    end_batch(seen);
    for (size_t i = 0; i < self->live; i++) {
        bench_parcel_free(parcels[i]);
    }
    bench_pages_free(parcels, self->live * sizeof *parcels);
}

/* ---- hand-over --------------------------------------------------------------------------------------- */

static void produce(const workload *self, meter *seen, bench_ring *ring, unsigned pair)
{
    bench_random random = bench_random_seeded(pair);
    begin_steady_state(seen);
    for (uint64_t done = 0; done < self->samples; done += BENCH_RING_BATCH) {
        bench_parcel *batch[BENCH_RING_BATCH];
        for (unsigned i = 0; i < BENCH_RING_BATCH; i++) {
            size_t bytes = draw_bytes(self, &random);
            batch[i] = bench_parcel_adopt(measured_malloc(seen, MALLOC, bytes), bytes);
            measure_nothing(seen);
            count_in_batch(seen);
        }
        bench_ring_push_all(ring, batch, BENCH_RING_BATCH);
    }
    bench_ring_close(ring);
    end_batch(seen);
}

static void consume(meter *seen, bench_ring *ring)
{
    bench_parcel *batch[BENCH_RING_BATCH];
    size_t count;
    begin_steady_state(seen);
    while ((count = bench_ring_pop_some(ring, batch)) > 0) {
        for (size_t i = 0; i < count; i++) {
            measured_free(seen, batch[i]);
            count_in_batch(seen);
        }
    }
    end_batch(seen);
}

static void work(unsigned member, void *context)
{
    const workload *self = context;
    meter *seen = &self->meters[member];
    memset(seen, 0, sizeof *seen);
    if (!self->hands_over) {
        replace(self, seen, member);
    } else if (member % 2 == 0) {
        produce(self, seen, &self->rings[member / 2], member / 2);
    } else {
        consume(seen, &self->rings[member / 2]);
    }
}

/* ---- what comes out ---------------------------------------------------------------------------------- */

static void print_call(const histogram *self, const char *name, double per_ns)
{
    static const double percents[] = {10,   25,   50,    75,    90,     95,    99,
                                      99.5, 99.9, 99.95, 99.99, 99.995, 99.999};
    printf("call=%s samples=%llu", name, (unsigned long long)self->samples);
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        double ticks = (double)histogram_percentile(self, percents[i] / 100);
        printf(" p%g=%.1f", percents[i], ticks / per_ns);
    }
    printf(" max=%.0f max_without_faults=%.0f max_undisturbed=%.0f\n", (double)self->most / per_ns,
           (double)self->most_without_faults / per_ns, (double)self->most_undisturbed / per_ns);
}

static int print(const workload *self, double seconds, double per_ns)
{
    static histogram all[CALLS];
    uint64_t faults = 0;
    uint64_t preemptions = 0;
    for (unsigned member = 0; member < self->threads; member++) {
        const meter *seen = &self->meters[member];
        for (call kind = 0; kind < CALLS; kind++) {
            histogram_merge(&all[kind], &seen->calls[kind]);
        }
        faults += seen->steady_faults;
        preemptions += seen->steady_preemptions;
    }
    printf("seconds=%.3f ticks_per_ns=%.4f faults=%llu preemptions=%llu\n", seconds, per_ns,
           (unsigned long long)faults, (unsigned long long)preemptions);
    for (call kind = 0; kind < CALLS; kind++) {
        if (all[kind].samples > 0) {
            print_call(&all[kind], call_names[kind], per_ns);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "what threads live least most samples");
    bool hands_over = strcmp(bench_argument_text(argc, argv, "what", "replace"), "handover") == 0;
    workload self = {
        .hands_over = hands_over,
        .live = bench_argument_within(argc, argv, "live", 5000, 1, 1 << 24),
        .least_bytes = bench_argument_within(argc, argv, "least", 16, BENCH_PARCEL_BYTES, 1 << 30),
    };
    self.most_bytes = bench_argument_within(argc, argv, "most", 1024, self.least_bytes, 1 << 30);
    self.threads = (unsigned)bench_argument_within(argc, argv, "threads", hands_over ? 2 : 1,
                                                   hands_over ? 2 : 1, BENCH_TEAM_AT_MOST);
    self.threads -= hands_over ? self.threads % 2 : 0;
    size_t samples = bench_argument_within(argc, argv, "samples", 1000000, 1, 1u << 31);
    self.samples = samples / (hands_over ? self.threads / 2 : self.threads) + 1;
    self.rings = bench_rings_new(self.threads, RING_SLOTS);
    self.meters = bench_pages(self.threads * sizeof *self.meters);
    double per_ns = ticks_per_ns();
    return print(&self, bench_team_run(self.threads, work, &self), per_ns);
}
