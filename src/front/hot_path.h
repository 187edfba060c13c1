/*
 * hot_path: the first instructions of malloc and free. Everything else is a slow exit.
 *
 * Owns:        nothing.
 * Invariants:  those of the line (T1..T3), the outbox (Q1, Q2) and the hot map (A1, A2).
 * Threads:     any; works on the caller's own record only.
 * Ordering:    none; the shared words that are read, a tag and how many threads an owner has, are compared, not followed.
 * Progress:    wait-free, no atomic read-modify-write, a leaf.
 * Calls:       nothing.   Used by: malloc, aligned, operators.
 */
#pragma once

#include <stddef.h>

#include "cache/outbox.h"
#include "cache/thread.h"
#include "metadata/address_map.h"
#include "platform/compiler.h"
#include "platform/system.h"

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

/*
 * The same at a multiple of align_bytes, a power of two: a slot whose size is a multiple of it lies there. Only blocks of
 * mixed slabs may not, and such a one stays in the line.
 */
HP_INLINE void *hp_hot_aligned(size_t bytes, size_t align_bytes)
{
    /* Zero, and what wraps around to it, takes the slow exit. */
    size_t slot_bytes = hp_round_up(bytes, align_bytes);
    void *chunk = hp_hot_malloc(slot_bytes);
    if (HP_UNLIKELY(!hp_is_aligned(chunk, align_bytes))) {
        hp_line_push(hp_hot_line(slot_bytes - 1), chunk);
        return NULL;
    }
    return chunk;
}

/* What free finds out first: whose record, which entry of the hot map, grain ^ tag. */
typedef struct hp_hot_entry {
    hp_thread *self;
    const hp_hot_map *map;
    size_t index;
    uint64_t mixed;
} hp_hot_entry;

HP_INLINE hp_hot_entry hp_hot_look_up(const void *pointer)
{
    uint64_t grain = hp_grain_of(pointer);
    hp_hot_entry entry = {.self = hp_self, .map = &hp_hot, .index = (uint16_t)grain};
    HP_OPAQUE(entry.map);
    entry.mixed = hp_relaxed_xor(&entry.map->tag[entry.index], grain);
    return entry;
}

/* The grain is of a slab of a cached class of the caller's owner. */
HP_INLINE bool hp_hot_is_mine(const hp_hot_entry *entry)
{
    return entry->mixed == entry->self->tag;
}

HP_INLINE hp_line *hp_hot_own_line(const hp_hot_entry *entry)
{
    return (hp_line *)(void *)((char *)entry->self + entry->map->line_offset[entry->index]);
}

/* What is left to do after a free of what is not the caller's owner's. */
typedef enum hp_hot_free_exit {
    HP_FREE_DONE,
    HP_FREE_OUTBOX_FULL, /* the chunk is in the outbox */
    HP_FREE_OTHER_WORD,  /* the chunk is a slot of *slab, another owner's */
    HP_FREE_UNKNOWN
} hp_hot_free_exit;

/* Another owner's chunk is used again where it was freed if it fits: its lines are in this processor's cache. */
HP_INLINE bool hp_hot_may_keep(const hp_hot_entry *entry)
{
    const hp_owner *owner = entry->self->owner;
    return HP_LIKELY(owner != NULL) &&
           hp_owner_may_keep(owner, entry->map->line_offset[entry->index]);
}

/*
 * free of a chunk that is not mine: into the line if there is room, else into the outbox. A thread without a record
 * has an outbox that no key matches.
 */
HP_INLINE hp_hot_free_exit hp_hot_free_other(const hp_hot_entry *entry, void *pointer,
                                             hp_slab **slab)
{
    if (HP_UNLIKELY(!hp_hot_is_other(entry->mixed))) {
        return HP_FREE_UNKNOWN;
    }
    /* Only now: an entry that is another grain's may change at this moment. */
    if (HP_LIKELY(hp_hot_may_keep(entry)) && hp_line_push(hp_hot_own_line(entry), pointer)) {
        return HP_FREE_DONE;
    }
    hp_slab *found = hp_hot_record(entry->map, entry->index);
    *slab = found;
    /* A cached class's slab is one grain, so the pointer's low bits are the offset in it. */
    size_t offset = (uintptr_t)pointer & (HP_GRAIN_BYTES - 1);
    unsigned index = hp_divide(offset, found->reciprocal);
    if (HP_UNLIKELY(index * found->slot_bytes != offset)) {
        return HP_FREE_UNKNOWN;
    }
    int64_t room;
    if (HP_UNLIKELY(!hp_outbox_set(entry->self, found, entry->index, index, &room))) {
        return HP_FREE_OTHER_WORD;
    }
    return HP_LIKELY(room >= 0) ? HP_FREE_DONE : HP_FREE_OUTBOX_FULL;
}
