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
    size_t offset =
        (last & ~(size_t)(HP_SMALL_STEP_BYTES - 1)) * (HP_LINE_BYTES / HP_SMALL_STEP_BYTES);
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

/* What is left to do after the hot path of free. */
typedef enum hp_hot_free_exit {
    HP_FREE_DONE,
    HP_FREE_LINE_FULL,   /* the chunk is the caller's owner's */
    HP_FREE_OUTBOX_FULL, /* the chunk is in the outbox */
    HP_FREE_OTHER_WORD,  /* the chunk is a slot of another owner's slab */
    HP_FREE_UNKNOWN
} hp_hot_free_exit;

typedef struct hp_hot_free_state {
    hp_thread *self;
    hp_line *line; /* HP_FREE_LINE_FULL */
    hp_slab *slab; /* HP_FREE_OTHER_WORD */
} hp_hot_free_state;

/*
 * free of a chunk whose grain's entry is not mine, mixed being grain ^ tag: into the outbox if the entry
 * is the grain's. A thread without a record has an outbox that no key matches.
 */
HP_INLINE hp_hot_free_exit hp_hot_free_other(hp_hot_free_state *state, const hp_hot_map *map,
                                             const void *pointer, size_t grain, uint64_t mixed)
{
    if (HP_UNLIKELY(!hp_hot_is_other(mixed))) {
        return HP_FREE_UNKNOWN;
    }
    /* Only now: an entry that is another grain's may change at this moment. */
    hp_slab *slab = hp_hot_record(map, grain);
    state->slab = slab;
    /* A cached class's slab is one grain, so the pointer's low bits are the offset in it. */
    size_t offset = (uintptr_t)pointer & (HP_GRAIN_BYTES - 1);
    unsigned index = hp_divide(offset, slab->reciprocal);
    if (HP_UNLIKELY(index * slab->slot_bytes != offset)) {
        return HP_FREE_UNKNOWN;
    }
    int64_t room;
    if (HP_UNLIKELY(!hp_outbox_set(state->self, slab, grain, index, &room))) {
        return HP_FREE_OTHER_WORD;
    }
    return HP_LIKELY(room >= 0) ? HP_FREE_DONE : HP_FREE_OUTBOX_FULL;
}

HP_INLINE hp_hot_free_exit hp_hot_free(void *pointer, hp_hot_free_state *state)
{
    uint64_t grain = hp_grain_of(pointer);
    size_t index = (uint16_t)grain;
    hp_thread *self = hp_self;
    const hp_hot_map *map = &hp_hot;
    HP_OPAQUE(map);
    state->self = self;
    uint64_t mixed = hp_relaxed_xor(&map->tag[index], grain);
    if (HP_UNLIKELY(mixed != self->tag)) {
        return hp_hot_free_other(state, map, pointer, index, mixed);
    }
    hp_line *line = (hp_line *)(void *)((char *)self + map->line_offset[index]);
    state->line = line;
    return HP_LIKELY(hp_line_push(line, pointer)) ? HP_FREE_DONE : HP_FREE_LINE_FULL;
}
