/*
 * A block that takes several slots of a slab whose own class is smaller: many small blocks are made and most of them
 * freed, so that what is free of their slabs serves larger ones. Where no slab does, any block.
 */
#pragma once

#include "crime.h"

enum {
    SLOT_BYTES = 64,
    SMALL_BLOCKS = 65536,
    KEPT_ONE_IN = 8,
    SEVERAL = 3,
    TRIES = 16384,
    SLAB_BYTES = 65536
};

static inline uintptr_t slab_number(const void *block)
{
    return (uintptr_t)block / SLAB_BYTES;
}

/* Whether a small block that was kept lies in the same slab. */
static inline bool has_small_neighbours(char *const *small, const void *block)
{
    size_t each = 0;
    while (each < SMALL_BLOCKS && slab_number(small[each]) != slab_number(block)) {
        each += KEPT_ONE_IN;
    }
    return each < SMALL_BLOCKS;
}

static inline char *block_of_several_slots(void)
{
    static char *small[SMALL_BLOCKS];
    for (size_t each = 0; each < SMALL_BLOCKS; each++) {
        small[each] = crime_block(SLOT_BYTES);
    }
    for (size_t each = 0; each < SMALL_BLOCKS; each++) {
        if (each % KEPT_ONE_IN != 0) {
            free(small[each]);
        }
    }
    char *block = crime_block((size_t)SEVERAL * SLOT_BYTES);
    for (unsigned tries = 0; tries < TRIES && !has_small_neighbours(small, block); tries++) {
        block = crime_block((size_t)SEVERAL * SLOT_BYTES);
    }
    return block;
}
