/*
 * kept: the mappings of freed huge blocks, kept for the next ones.
 *
 * Owns:        16 slots; the record in a slot, until somebody takes it.
 * Invariants:
 *   KP1 a record is in at most one slot, and what lies in a slot nobody else uses.
 *   KP2 the bytes kept are at most HP_HUGE_KEPT_BYTES.
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

#define HP_KEPT_SLOTS 16u

/* How far a mapping is from the length wanted; SIZE_MAX: too far. Less than half is not worth a move. */
static inline size_t hp_kept_distance(size_t mapped, size_t bytes)
{
    return mapped >= bytes ? mapped - bytes : mapped >= bytes / 2 ? bytes - mapped : SIZE_MAX;
}

/* False: there is no room, and the record stays the caller's. */
bool hp_kept_put(hp_huge *huge);

/* The mapping whose length is nearest, or NULL; where may_grow is not set only what is long enough. One try. */
hp_huge *hp_kept_take_nearest(size_t bytes, bool may_grow);

/* What seemed to start there, or NULL. */
hp_huge *hp_kept_take_at(const char *start);

/* What the slot holds, or NULL. */
hp_huge *hp_kept_take_slot(unsigned slot);

/* The same if it was freed at least age_ms before now_ms; *younger: it was not, and stays. */
hp_huge *hp_kept_take_old(unsigned slot, uint32_t now_ms, uint32_t age_ms, bool *younger);

uint64_t hp_kept_bytes(void);
