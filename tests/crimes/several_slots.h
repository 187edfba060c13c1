/*
 * A block that takes several slots of a slab whose own class is smaller: many small blocks are made and most of them
 * freed, so that what is free of their slabs serves larger ones. Where no slab does, any block.
 */
#pragma once

#include "crime.h"

enum {
    SMALL_SLOT_BYTES = 64,
    LARGE_SLOT_BYTES = 4096,
    MOST_SMALL_BLOCKS = 65536,
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
static inline bool has_small_neighbours(char *const *small, size_t count, const void *block)
{
    size_t each = 0;
    while (each < count && slab_number(small[each]) != slab_number(block)) {
        each += KEPT_ONE_IN;
    }
    return each < count;
}

/* As many small ones as take 4 MiB, or 16 MiB of those that are not so small. */
static inline char *block_among_slots_of(size_t slot_bytes)
{
    static char *small[MOST_SMALL_BLOCKS];
    size_t count = slot_bytes == SMALL_SLOT_BYTES ? MOST_SMALL_BLOCKS : MOST_SMALL_BLOCKS / 16;
    for (size_t each = 0; each < count; each++) {
        small[each] = crime_block(slot_bytes);
    }
    for (size_t each = 0; each < count; each++) {
        if (each % KEPT_ONE_IN != 0) {
            free(small[each]);
        }
    }
    char *block = crime_block(SEVERAL * slot_bytes);
    for (unsigned tries = 0; tries < TRIES && !has_small_neighbours(small, count, block); tries++) {
        block = crime_block(SEVERAL * slot_bytes);
    }
    return block;
}

static inline char *block_of_several_slots(void)
{
    return block_among_slots_of(SMALL_SLOT_BYTES);
}

/* Above 8 KiB, so that no thread keeps it for itself. */
static inline char *long_block_of_several_slots(void)
{
    return block_among_slots_of(LARGE_SLOT_BYTES);
}
