/*
 * hot_path: the first instructions of malloc and free. Everything else is a slow exit.
 *
 * Owns:        nothing.
 * Invariants:  those of the line (T1..T3), the outbox (Q1, Q2) and the hot map (A1, A2).
 * Threads:     any; works on the caller's own record only.
 * Ordering:    none; the one shared word that is read is compared, not followed.
 * Progress:    wait-free, no atomic read-modify-write, a leaf.
 * Calls:       nothing.   Used by: malloc, operators.
 */
#pragma once

#include <stddef.h>

#include "cache/outbox.h"
#include "cache/thread.h"
#include "metadata/address_map.h"
#include "platform/compiler.h"

/* The line of the class that serves the size, which is 1 to HP_SMALL_MAX_BYTES; last = size - 1. */
HP_INLINE hp_line *hp_hot_line(size_t last)
{
    /* A class is 16 bytes wide and its line 64 bytes long, so no table and no division. */
    size_t offset = (last & ~(size_t)(HP_SMALL_STEP_BYTES - 1)) * (HP_LINE_BYTES / HP_SMALL_STEP_BYTES);
    return (hp_line *)(void *)((char *)hp_self->lines + offset);
}

/* A chunk from the line of the size's class; NULL for every size and state that needs more work. */
HP_INLINE void *hp_hot_malloc(size_t bytes)
{
    /* Zero wraps around and takes the slow exit with the large sizes: one comparison for both. */
    size_t last = bytes - 1;
    if (HP_LIKELY(last < HP_SMALL_MAX_BYTES)) {
        hp_line *line = hp_hot_line(last);
        int64_t filled = line->filled;
        if (HP_LIKELY(filled != HP_LINE_EMPTY)) {
            void *chunk = hp_line_take(line, filled);
            HP_ASSUME(chunk != NULL);
            return chunk;
        }
    }
    return NULL;
}

/*
 * free of a chunk whose grain's entry is not mine, mixed being grain ^ tag: into the outbox if the entry
 * is the grain's and its slab's word is the most recent one there. False: that needs more work.
 * A thread without a record has an outbox that no key matches.
 */
HP_INLINE bool hp_hot_free_other(hp_thread *self, const void *pointer, hp_slab *slab, uint64_t mixed)
{
    if (HP_UNLIKELY(!hp_hot_is_other(mixed))) {
        return false;
    }
    /* A cached class's slab is one grain, so the pointer's low bits are the offset in it. */
    size_t offset = (uintptr_t)pointer & (HP_GRAIN_BYTES - 1);
    unsigned index = hp_divide(offset, slab->reciprocal);
    if (HP_UNLIKELY(index * slab->slot_bytes != offset)) {
        return false;
    }
    hp_outbox_entry *recent = &self->outbox[0];
    if (HP_UNLIKELY(recent->key != hp_outbox_key(slab, index))) {
        return false;
    }
    uint64_t bits = recent->bits;
    uint64_t more_bits = bits | (uint64_t)1 << (index & 63);
    if (HP_UNLIKELY(more_bits == bits)) {
        return false;
    }
    recent->bits = more_bits;
    return true;
}

/* free but for the slow exits, which the caller names. */
typedef enum hp_hot_free_exit { HP_FREE_DONE, HP_FREE_LINE_FULL, HP_FREE_OTHER } hp_hot_free_exit;

HP_INLINE hp_hot_free_exit hp_hot_free(void *pointer, hp_line **line)
{
    uint64_t grain = hp_grain_of(pointer);
    size_t index = (uint16_t)grain;
    hp_thread *self = hp_self;
    const hp_hot_map *map = &hp_hot;
    HP_OPAQUE(map);
    uint64_t mixed = hp_relaxed_xor(&map->tag[index], grain);
    if (HP_UNLIKELY(mixed != self->tag)) {
        hp_slab *slab = hp_hot_record(map, index);
        return hp_hot_free_other(self, pointer, slab, mixed) ? HP_FREE_DONE : HP_FREE_OTHER;
    }
    *line = (hp_line *)(void *)((char *)self + map->line_offset[index]);
    return HP_LIKELY(hp_line_push(*line, pointer)) ? HP_FREE_DONE : HP_FREE_LINE_FULL;
}
