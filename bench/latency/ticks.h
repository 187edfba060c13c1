/*
 * ticks: the processor's time stamp counter, for intervals of a few nanoseconds.
 *
 * What is measured neither begins before ticks_begin() nor ends after ticks_end(). Both together take
 * some 20 ns of their own, which stay in every figure; how many, the interval with nothing in it tells.
 *
 * Threads   any; the counters of the processors of one machine go together.
 */
#pragma once

#include <stdint.h>

#if defined(__x86_64__)

#include <x86intrin.h>

static inline uint64_t ticks_begin(void)
{
    _mm_lfence();
    uint64_t now = __rdtsc();
    _mm_lfence();
    return now;
}

static inline uint64_t ticks_end(void)
{
    unsigned processor;
    uint64_t now = __rdtscp(&processor);
    _mm_lfence();
    return now;
}

#else

#include <time.h>

static inline uint64_t ticks_begin(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t ticks_end(void)
{
    return ticks_begin();
}

#endif

/* Compares the counter with the monotonic clock for a tenth of a second. */
double ticks_per_ns(void);
