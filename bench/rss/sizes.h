/*
 * sizes: those of the scenario `shifting`, whose blocks are around 64 bytes at first, then 128 and so on to 16 KiB, and
 * down again.
 */
#pragma once

#include "support/random.h"

#include <stddef.h>

enum { SIZES_TURN = 8, SIZES_MIDDLE_BYTES = 64 };

/* Half to one and a half times 64 * 2^n bytes; n goes up to SIZES_TURN and down again with the number. */
static inline size_t sizes_draw(unsigned number, bench_random *random)
{
    unsigned place = number % (2 * SIZES_TURN);
    size_t middle = (size_t)SIZES_MIDDLE_BYTES
                    << (place <= SIZES_TURN ? place : 2 * SIZES_TURN - place);
    return bench_random_between(random, middle / 2, middle + middle / 2);
}
