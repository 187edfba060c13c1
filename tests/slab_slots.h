/*
 * One slab for tests, on the fake system. cmocka.h has to be included before.
 */
#pragma once

#include "metadata/address_map.h"
#include "owner/owner.h"
#include "platform/system.h"
#include "support/fake_system.h"

static hp_owner owner = {.id = 7};
static hp_slab *slab;
static void *chunks[HP_SLAB_MAX_SLOTS] __attribute__((unused));

static inline void given_a_slab_of(size_t slot_bytes)
{
    unsigned size_class = hp_class_of(slot_bytes);
    slab = hp_slab_new_record(&owner, hp_slab_record_capacity(size_class));
    assert_non_null(slab);
    assert_true(hp_slab_open(slab, size_class));
    assert_int_equal(slab->slot_bytes, slot_bytes);
}

static inline void *slot(unsigned index)
{
    return slab->base + (size_t)index * slab->slot_bytes;
}

/* What a test leaves wholly free goes back to the arena. */
static inline int slab_teardown(void **state)
{
    if (slab != NULL && slab->free->free_count == slab->slot_count) {
        hp_slab_close(slab);
    }
    slab = NULL;
    return fake_system_teardown(state);
}

static inline void then_the_slab_is_sound(void)
{
    assert_null(hp_slab_check(slab));
}

/* False when the slot of the slab was free already. */
static inline bool put_slot(unsigned index)
{
    return hp_slab_put_word(slab, index / 64, (uint64_t)1 << index % 64) == 0;
}
