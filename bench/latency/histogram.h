/*
 * histogram: how often each number of ticks was seen, in steps of at most 1/32 of the number.
 *
 * Invariants  1  the counts sum up to samples.
 * Threads     a histogram belongs to one thread; who adds it to another has joined that thread.
 */
#pragma once

#include <stdint.h>

enum {
    HISTOGRAM_EXACT = 64,  /* below, each number has a count of its own */
    HISTOGRAM_STEPS = 32,  /* above, each power of two has as many */
    HISTOGRAM_POWERS = 34, /* beyond 2^40 ticks there is one count */
    HISTOGRAM_COUNTS = HISTOGRAM_EXACT + HISTOGRAM_POWERS * HISTOGRAM_STEPS + 1,
};

typedef struct histogram {
    uint64_t samples;
    uint64_t most;
    uint64_t most_of_batch;
    uint64_t most_without_faults; /* of those batches in which no page fault happened */
    uint64_t most_undisturbed;    /* of those in which nobody else got the processor either */
    uint32_t counts[HISTOGRAM_COUNTS];
} histogram;

static inline unsigned histogram_place(uint64_t ticks)
{
    if (ticks < HISTOGRAM_EXACT) {
        return (unsigned)ticks;
    }
    unsigned power = 63 - (unsigned)__builtin_clzll(ticks);
    unsigned place =
        HISTOGRAM_EXACT + (power - 6) * HISTOGRAM_STEPS + ((unsigned)(ticks >> (power - 5)) & 31);
    return place < HISTOGRAM_COUNTS ? place : HISTOGRAM_COUNTS - 1;
}

static inline void histogram_add(histogram *self, uint64_t ticks)
{
    self->samples++;
    self->counts[histogram_place(ticks)]++;
    if (ticks > self->most_of_batch) {
        self->most_of_batch = ticks;
    }
}

/* Says what happened to this thread since the last batch's end. */
void histogram_end_batch(histogram *self, uint64_t faults, uint64_t preemptions);

void histogram_merge(histogram *self, const histogram *other);

/* The ticks that `share` of the samples do not exceed, 0 < share <= 1, rounded up to a step's end. */
uint64_t histogram_percentile(const histogram *self, double share);
