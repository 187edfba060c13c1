/*
 * chance: one reproducible stream of random numbers per thread.
 *
 * Threads   a stream belongs to one thread; the streams of a run all come from its seed.
 * Used by   every stress program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct chance {
    uint64_t state;
} chance;

/* A bijection on 64 bits in which every input bit reaches every output bit (the finaliser of
 * splitmix64, Steele, Lea and Flood, 2014). */
static inline uint64_t chance_mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

static inline chance chance_stream(uint64_t seed, uint64_t number)
{
    return (chance){.state = chance_mix(seed) ^ chance_mix(number + 1)};
}

static inline uint64_t chance_next(chance *self)
{
    self->state += UINT64_C(0x9e3779b97f4a7c15);
    return chance_mix(self->state);
}

/* Uniform enough for a stress program: the bias is bound / 2^64. */
static inline uint64_t chance_below(chance *self, uint64_t bound)
{
    return chance_next(self) % bound;
}

static inline bool chance_one_in(chance *self, uint64_t count)
{
    return chance_below(self, count) == 0;
}

/* A request size in 1..limit_bytes: mostly small as in real programs, often one byte around a
 * border of a size class or of a page, sometimes large. */
size_t chance_size_bytes(chance *self, size_t limit_bytes);
