/*
 * room: a count of bytes with a bound, which threads change in steps.
 *
 * Owns:        nothing; the count is the owner's.
 * Invariants:
 *   RM1 what is held is above the bound only while somebody is about to give back what was too much.
 * Threads:     any.
 * Ordering:    none: a relaxed counter.
 * Progress:    wait-free.
 * Calls:       nothing.   Used by: depot, singles.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "platform/compiler.h"

static inline void hp_room_give_back(_Atomic uint64_t *held_bytes, uint32_t bytes)
{
    /* relaxed: a count that orders nothing */
    uint64_t old = atomic_fetch_sub_explicit(held_bytes, bytes, memory_order_relaxed);
    if (HP_UNLIKELY(old < bytes)) {
        /* relaxed: as above. A fork came between a pop and its count: see hp_depot_recount */
        atomic_store_explicit(held_bytes, 0, memory_order_relaxed);
    }
}

/* False: so much more would be above the bound. */
static inline bool hp_room_get(_Atomic uint64_t *held_bytes, uint64_t bound_bytes, uint32_t bytes)
{
    /* relaxed: looked at first, so that the word is not written to when there is no room */
    if (atomic_load_explicit(held_bytes, memory_order_relaxed) + bytes > bound_bytes) {
        return false;
    }
    /* relaxed: a count that orders nothing */
    if (atomic_fetch_add_explicit(held_bytes, bytes, memory_order_relaxed) + bytes > bound_bytes) {
        hp_room_give_back(held_bytes, bytes);
        return false;
    }
    return true;
}

/* What a thread that may hold so much asks for: half of that, so that the next time is not at once. */
static inline uint32_t hp_room_step(uint32_t most_bytes, uint32_t needed_bytes)
{
    return needed_bytes < most_bytes / 2 ? most_bytes / 2 : needed_bytes;
}
