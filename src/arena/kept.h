/*
 * kept: the mappings of freed huge blocks, kept for the next ones.
 *
 * Owns:        32 slots; the record in a slot, until somebody takes it.
 * Invariants:
 *   KP1 a record is in at most one slot, and what lies in a slot nobody else uses.
 *   KP2 the bytes kept that may have memory are at most HP_HUGE_KEPT_BYTES. A range without memory is kept
 *       beside them while all together are at most as many as huge blocks in use have, and at most
 *       HP_KEPT_RANGE_BYTES; where the system limits address space, at most HP_HUGE_KEPT_BYTES.
 * Threads:     any. A taken record is the taker's.
 * Ordering:    P10 (a slot).
 * Progress:    wait-free in the number of slots.
 *              Who looks for a mapping peeks at length and start of records that others may take meanwhile
 *              and use for another mapping: what was taken has to be looked at again.
 * Calls:       nothing.   Used by: huge.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena/huge.h"

#define HP_KEPT_SLOTS 32u
#define HP_KEPT_RANGE_BYTES ((size_t)256 << 20)

/*
 * What a mapping costs that is to serve so many bytes; SIZE_MAX: it cannot. Pages without memory cost the same
 * wherever they lie, so of what was hardly touched the best fit serves. What is filled goes first, and is worth
 * being moved where it can grow, if it has half of what is wanted or more.
 */
static inline size_t hp_kept_cost(size_t mapped, bool filled, size_t bytes)
{
    if (mapped >= bytes) {
        return mapped - bytes + (filled ? 0 : bytes);
    }
    return filled && mapped >= bytes / 2 ? bytes - mapped : SIZE_MAX;
}

/* Whether so many bytes can be kept at all, if others make room. */
bool hp_kept_may_keep(size_t bytes);

/* Whether so many bytes more can be kept that may have memory. A hint: others keep some as well. */
bool hp_kept_has_room_for_dirty(size_t bytes);

/* False: there is no room, and the record stays the caller's. */
bool hp_kept_put(hp_huge *huge);

/* The mapping that costs least, or NULL; where may_grow is not set only what is long enough. One try. */
hp_huge *hp_kept_take_best(size_t bytes, bool may_grow);

/* One that was hardly touched, or NULL. */
hp_huge *hp_kept_take_unfilled(void);

/* What seemed to start or to end there, or NULL. */
hp_huge *hp_kept_take_at(const char *start);
hp_huge *hp_kept_take_before(const char *end);

/* What the slot holds, or NULL. */
hp_huge *hp_kept_take_slot(unsigned slot);

/* The same if it was freed at least age_ms before now_ms; *younger: it was not, and stays. */
hp_huge *hp_kept_take_old(unsigned slot, uint32_t now_ms, uint32_t age_ms, bool *younger);

uint64_t hp_kept_bytes(void);
