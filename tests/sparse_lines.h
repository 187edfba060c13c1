/*
 * Sparse slabs of the caller's own owner, for tests. cmocka.h has to be included before.
 */
#pragma once

#include "owner/mixed.h"
#include "thread_lines.h"

enum {
    SLOT_BYTES = 48,
    SLOTS = HP_SMALL_SLAB_BYTES / SLOT_BYTES,
    SLABS = 5,
    BYTES = 192, /* four slots, which lie at a multiple of 64 by chance alone */
    BLOCKS_OF_FOUR_SLABS = HP_SMALL_SLAB_BYTES / BYTES * 4
};

/* What a test leaves in use. */
static void *in_use[SLABS * SLOTS + BLOCKS_OF_FOUR_SLABS];
static unsigned in_use_count;

static inline void *stays(void *block)
{
    in_use[in_use_count++] = block;
    return block;
}

static inline int mixed_teardown(void **state)
{
    hp_thread_flush(self); /* what was lent to lines by a test that failed too */
    while (in_use_count > 0) {
        hepta_free(in_use[--in_use_count]);
    }
    return thread_teardown(state);
}

/* Under the claim: so many slots of a class, one after the other. */
static inline void take_all(void **slots, size_t bytes, unsigned count)
{
    for (unsigned taken = 0; taken < count;) {
        taken += hp_owner_take(mine, hp_class_of(bytes), count - taken, slots + taken);
    }
}

/* Under the claim. */
static inline void put_slot(const void *slot)
{
    uint32_t index = index_of(slot);
    assert_int_equal(hp_owner_put_word(mine, slab_of(slot), index / 64, (uint64_t)1 << index % 64),
                     0);
}

/* Slabs of which each sixteenth slot is in use. */
static inline void given_sparse_slabs(void)
{
    static void *slots[SLABS * SLOTS];
    assert_true(hp_claim_try(&mine->claim));
    take_all(slots, SLOT_BYTES, SLABS * SLOTS);
    for (unsigned slot = 0; slot < SLABS * SLOTS; slot++) {
        if (slot % 16 == 0) {
            stays(slots[slot]);
        } else {
            put_slot(slots[slot]);
        }
    }
    hp_claim_release(&mine->claim);
}

static inline bool lies_in_a_mixed_slab(const void *block)
{
    return hp_slab_joined(slab_of(block)) != NULL;
}

static inline char *given_a_block(void)
{
    void *block = NULL;
    assert_true(hp_claim_try(&mine->claim));
    assert_int_equal(hp_mixed_take(mine, hp_class_of(BYTES), 1, &block), 1);
    hp_claim_release(&mine->claim);
    return block;
}
