/*
 * latency: how long calls took, in a histogram that needs no memory from anybody.
 *
 * Owns: nothing; a histogram is a plain array that lies in its thread's record.
 * Buckets: 32 per doubling, so a quantile is read with an error of at most 3.2 %.
 * Threads: a histogram is written by its own thread only; merge after that thread has finished.
 * Used by: worker.c (records), pipeline.c (reads the quantiles at the end).
 */
#pragma once

#include <stdint.h>
#include <x86intrin.h>

enum {
    LATENCY_STEPS_LOG2 = 5,
    LATENCY_STEPS = 1 << LATENCY_STEPS_LOG2,
    LATENCY_BUCKETS = (64 - LATENCY_STEPS_LOG2 + 1) * LATENCY_STEPS,
};

typedef struct latency_histogram {
    uint64_t counts[LATENCY_BUCKETS];
    uint64_t total;
} latency_histogram;

/* The fences keep the timed call between the two readings: what comes before has finished, and what
 * comes after has not begun. */
static inline uint64_t latency_begin_ticks(void)
{
    _mm_lfence();
    uint64_t ticks = __rdtsc();
    _mm_lfence();
    return ticks;
}

static inline uint64_t latency_end_ticks(void)
{
    unsigned int processor;
    uint64_t ticks = __rdtscp(&processor);
    _mm_lfence();
    return ticks;
}

/* Measures what an empty pair of readings costs, which latency_record() subtracts, and begins the
 * comparison of the tick counter with the clock. Call once, before any other thread records. */
void latency_calibrate(void);

/* `elapsed_ticks`: end minus begin, the cost of reading the counter still included. */
void latency_record(latency_histogram *histogram, uint64_t elapsed_ticks);

void latency_merge(latency_histogram *into, const latency_histogram *from);

/* The latency that `fraction` (0..1) of the recorded calls did not exceed, in ns; 0 when there is
 * none. Call well after latency_calibrate(): the tick is measured over the time between the two. */
double latency_quantile_ns(const latency_histogram *histogram, double fraction);
