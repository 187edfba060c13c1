/*
 * shifting: sizes that move. Blocks are around 64 bytes at first, then 128 and so on to 16 KiB, and down again.
 *
 * Threads   pure, but for the sequence that is drawn from.
 */
#pragma once

#include "support/random.h"

#include <stddef.h>

enum { BENCH_SHIFTING_TURN = 8 };

/* 64 * 2^n bytes; n goes up to the turn and down again with the phase. */
static inline size_t bench_shifting_middle_bytes(unsigned phase)
{
    unsigned place = phase % (2 * BENCH_SHIFTING_TURN);
    return (size_t)64 << (place <= BENCH_SHIFTING_TURN ? place : 2 * BENCH_SHIFTING_TURN - place);
}

/* Half to one and a half times that. */
static inline size_t bench_shifting_bytes(unsigned phase, bench_random *random)
{
    size_t middle = bench_shifting_middle_bytes(phase);
    return bench_random_between(random, middle / 2, middle + middle / 2);
}
