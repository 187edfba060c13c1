/*
 * hot_path: the first instructions of malloc and free. Everything else is a slow exit.
 *
 * Owns:        nothing.
 * Invariants:  those of the line (T1..T3) and of the hot map (A1, A2).
 * Threads:     any; works on the caller's own record only.
 * Ordering:    none; the one shared word that is read is compared, not followed.
 * Progress:    wait-free, no atomic read-modify-write, a leaf.
 * Calls:       nothing.   Used by: malloc, operators.
 */
#pragma once

#include <stddef.h>

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

/* The line of the chunk's class if the chunk is of a cached class of the caller's owner, else NULL. */
HP_INLINE hp_line *hp_hot_line_of(void *pointer)
{
    uint64_t grain = hp_grain_of(pointer);
    size_t index = (uint16_t)grain;
    hp_thread *self = hp_self;
    const hp_hot_map *map = &hp_hot;
    HP_OPAQUE(map);
    if (HP_UNLIKELY(hp_relaxed_xor(&map->tag[index], grain) != self->tag)) {
        return NULL;
    }
    hp_line *line = (hp_line *)(void *)((char *)self + map->line_offset[index]);
    HP_ASSUME(line != NULL);
    return line;
}
