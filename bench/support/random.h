/*
 * random: one reproducible sequence of numbers per thread, and the sizes that workloads draw from it.
 *
 * xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled",
 * 2016). The functions are inline, since a draw costs as much as a good malloc.
 *
 * Threads   a sequence belongs to one thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct bench_random {
    uint64_t state; /* never 0 */
} bench_random;

/* Seeds that differ in any bit give sequences that have nothing to do with each other. */
bench_random bench_random_seeded(uint64_t seed);

static inline uint64_t bench_random_next(bench_random *self)
{
    self->state ^= self->state >> 12;
    self->state ^= self->state << 25;
    self->state ^= self->state >> 27;
    return self->state * UINT64_C(0x2545f4914f6cdd1d);
}

/* 0..bound - 1, without a division (Lemire, "Fast random integer generation in an interval", 2019);
 * the bias is bound / 2^64. */
static inline size_t bench_random_below(bench_random *self, size_t bound)
{
    return (size_t)((unsigned __int128)bench_random_next(self) * bound >> 64);
}

/* least..most, both included. */
static inline size_t bench_random_between(bench_random *self, size_t least, size_t most)
{
    return least + bench_random_below(self, most - least + 1);
}

/* 0 <= value < 1 */
static inline double bench_random_fraction(bench_random *self)
{
    return (double)(bench_random_next(self) >> 11) * 0x1p-53;
}

/* least..most, where a size is drawn in proportion to 1 / size^2: half of all draws are below
 * 2 * least. */
size_t bench_random_inverse_square(bench_random *self, size_t least, size_t most);

/* least..most, where a size is drawn in proportion to 1 / size: as many draws from each power of two
 * to the next. */
size_t bench_random_inverse(bench_random *self, size_t least, size_t most);
