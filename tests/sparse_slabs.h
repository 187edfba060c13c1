/*
 * Sparse slabs of a claimed owner, and blocks of larger classes in them, for tests. cmocka.h has to be included
 * before.
 */
#pragma once

#include "owner/mixed.h"
#include "owner_slots.h"

enum {
    BYTES = 64, /* of the class whose slabs become sparse */
    SLOTS = HP_SMALL_SLAB_BYTES / BYTES,
    SLABS = 5
};

static void *survivors[SLABS * SLOTS];
static unsigned survivor_count;

/* So many slabs of which the slots stay that the pattern has a bit for, counted from the first of each eight. */
static inline void given_slabs_with(unsigned slabs, unsigned pattern)
{
    survivor_count = 0;
    static void *all[SLABS * SLOTS];
    for (unsigned slab = 0; slab < slabs; slab++) {
        given_chunks(BYTES, 0, SLOTS);
        memcpy(all + (size_t)slab * SLOTS, chunks, SLOTS * sizeof *chunks);
    }
    for (unsigned slot = 0; slot < slabs * SLOTS; slot++) {
        if ((pattern >> slot % 8 & 1) != 0) {
            survivors[survivor_count++] = all[slot];
        } else {
            assert_true(put(all[slot]));
        }
    }
}

/* Frees those survivors that are the first so many of each so many slots. */
static inline void given_freed(unsigned first, unsigned of_each)
{
    unsigned kept = 0;
    for (unsigned each = 0; each < survivor_count; each++) {
        if (index_of(survivors[each]) % of_each < first) {
            assert_true(put(survivors[each]));
        } else {
            survivors[kept++] = survivors[each];
        }
    }
    survivor_count = kept;
}

static inline unsigned take(size_t bytes, unsigned count)
{
    return hp_mixed_take(owner, hp_class_of(bytes), count, chunks);
}

/* False: some of it was free. */
static inline bool put_block(const void *block)
{
    return hp_owner_put_block(owner, slab_of(block), index_of(block));
}

static inline size_t bytes_of(const void *block)
{
    return hp_slab_block_bytes(slab_of(block), index_of(block));
}

static inline void put_survivors(void)
{
    while (survivor_count > 0) {
        assert_true(put_block(survivors[--survivor_count]));
    }
}
