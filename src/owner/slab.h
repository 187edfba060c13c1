/*
 * slab: a chunk of the arena, cut into equal slots; which are free is told by bitmaps beside it.
 *
 * A record has three parts on cache lines of their own: what is fixed while the slab is open, what
 * threads that free from outside write, and what only the holder of the owner's claim writes.
 *
 * Owns:        its record for ever (a record never changes its owner), its chunk while open.
 * Invariants:  (hp_slab_check)
 *   L1  nonempty has bit w exactly when words[w] is not 0.
 *   L2  free_count is the number of set bits; no bit at or beyond slot_count is set.
 *   L3  a slot is free (its bit set), noted (its remote bit set) or out: with the program, in a
 *       thread's line, in the depot or in an outbox.
 *   L4  the slab is in its class's list, or in one of the mixed slabs, exactly when free_count > 0.
 *   L5  a slot of a class that threads do not cache, or a block of several slots that is as long as one, is not out
 *       when it was freed.
 * Threads:     take, put, close under the owner's claim; the fixed part may be read by anybody who holds a
 *              chunk of it.
 * Ordering:    P1 (free part); P3, P4 (shared part, see inbox).
 * Progress:    wait-free.
 * Calls:       arena, address map, storage.   Used by: owner, inbox, thread.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena/region.h"
#include "metadata/address_map.h"
#include "metadata/size_class.h"
#include "platform/crossing.h"
#include "platform/misuse.h"

typedef struct hp_owner hp_owner;
typedef struct hp_slab hp_slab;

/* The part under the owner's claim. */
typedef struct hp_slab_free {
    uint64_t nonempty;
    hp_slab *previous; /* list of slabs of the class that have free slots */
    hp_slab *next;     /* also links spare records */
    uint32_t free_count;
    uint32_t untouched_from;   /* slots from here on were never handed out */
    bool zeroed;               /* ... and read as zeros */
    uint64_t given_back_pages; /* see slab_pages.h */
    uint64_t resting_pages;
    _Atomic uint64_t *joined_words; /* see mixed.h; NULL: the slab never was a mixed one */
    uint16_t hole_log2;             /* of a mixed slab in a list: which one of its class */
    uint16_t hole_end;              /* ... and no hole has so many slots */
    uint64_t words[];               /* bit set: the slot is free */
} hp_slab_free;

struct hp_slab {
    /* Fixed while the slab is open. */
    HP_LINE_ALIGNED char *base;
    uint64_t reciprocal;
    uint32_t slot_bytes;
    uint32_t slot_count;
    hp_owner *owner;
    hp_slab_free *free;
    hp_region *region;
    uint32_t chunk;
    uint16_t size_class;
    uint16_t word_count;
    _Atomic uint64_t *_Atomic joined; /* P18; NULL: every block is one slot. Else see mixed.h */
    /* Shared. */
    HP_LINE_ALIGNED _Atomic uint64_t pending; /* P4; bit w: remote[w] has news. Not 0: queued */
    hp_stack_node inbox_link;                 /* P2 */
    _Atomic uint64_t out; /* relaxed, see hp_slab_note_out; bit set: the program has the block */
    _Atomic uint64_t remote[]; /* P3; bit set: freed by a thread from outside */
};

_Static_assert(offsetof(hp_slab, chunk) < 2 * HP_CACHE_LINE_BYTES, "no_slab has these fields");

#define HP_RECORD_CAPACITIES 7u /* bitmaps of 1, 2, 4 .. 64 words */

/* Which pool of spare records serves a class. */
unsigned hp_slab_record_capacity(unsigned size_class);

/* A zeroed record with room for the capacity's bitmaps, or NULL. */
hp_slab *hp_slab_new_record(hp_owner *owner, unsigned capacity);

/* Takes a chunk from the arena and cuts it; all slots are free. False: out of memory. */
bool hp_slab_open(hp_slab *slab, unsigned size_class);

/* Gives the chunk back; every slot is free. The record can be opened again. */
void hp_slab_close(hp_slab *slab);

/* The lowest free slots, 1 to count of them; there is at least one. */
unsigned hp_slab_take(hp_slab *slab, unsigned count, void **chunks);

/* Slots in these bytes of the slab, which has pages that were given back, are handed out. */
HP_SLOW void hp_slab_pages_use(hp_slab *slab, size_t first_offset, size_t end_offset);

/* The same for every slab: where something was given back, the pages have memory again. */
HP_INLINE void hp_slab_note_use(hp_slab *slab, size_t first_offset, size_t end_offset)
{
    if (HP_UNLIKELY(slab->free->given_back_pages != 0)) {
        hp_slab_pages_use(slab, first_offset, end_offset);
    }
}

/* The lowest free slot; there is one. */
HP_INLINE uint32_t hp_slab_take_one(hp_slab *slab)
{
    hp_slab_free *free = slab->free;
    unsigned word = hp_lowest_bit(free->nonempty);
    uint64_t bits = free->words[word];
    unsigned lowest = hp_lowest_bit(bits);
    bits &= bits - 1;
    free->words[word] = bits;
    if (bits == 0) {
        free->nonempty &= free->nonempty - 1;
    }
    free->free_count--;
    uint32_t index = word * 64 + lowest;
    size_t offset = (size_t)index * slab->slot_bytes;
    hp_slab_note_use(slab, offset, offset + slab->slot_bytes);
    return index;
}

/*
 * For slabs whose slots are taken one at a time: whether the slot just taken was never handed out before
 * and still holds the kernel's zeros. Slots are taken lowest first, so one watermark tells.
 */
HP_INLINE bool hp_slab_note_touched(hp_slab *slab, uint32_t index)
{
    hp_slab_free *free = slab->free;
    bool untouched = index >= free->untouched_from;
    if (untouched) {
        free->untouched_from = index + 1;
    }
    return untouched && free->zeroed;
}

/*
 * A block that no line takes goes to the program, and comes back: noted where every thread can see it, so that a second
 * free is told from the first wherever the block waits. No two blocks of more than HP_CACHED_MAX_BYTES begin within so
 * many bytes of each other, so each has a bit of its own.
 */
_Static_assert(HP_LARGE_SLAB_BYTES / HP_CACHED_MAX_BYTES <= 64,
               "one word has a bit for each block");

HP_INLINE uint64_t hp_slab_out_bit(const hp_slab *slab, unsigned index)
{
    return (uint64_t)1 << (size_t)index * slab->slot_bytes / HP_CACHED_MAX_BYTES;
}

HP_INLINE void hp_slab_note_out(hp_slab *slab, unsigned index)
{
    /* relaxed: a bit of its own; who frees the block has it from the program, which orders that after this */
    atomic_fetch_or_explicit(&slab->out, hp_slab_out_bit(slab, index), memory_order_relaxed);
}

/* False: it is not out, so it is freed twice. */
HP_INLINE bool hp_slab_note_back(hp_slab *slab, unsigned index)
{
    uint64_t bit = hp_slab_out_bit(slab, index);
    /* relaxed: of two frees one gets the bit; what happens to the block then has an order of its own */
    return (atomic_fetch_and_explicit(&slab->out, ~bit, memory_order_relaxed) & bit) != 0;
}

HP_INLINE bool hp_slab_is_out(hp_slab *slab, unsigned index)
{
    /* relaxed: the caller has the block or makes a mistake; there is nothing to be ordered */
    return (atomic_load_explicit(&slab->out, memory_order_relaxed) &
            hp_slab_out_bit(slab, index)) != 0;
}

/*
 * Frees the chunks from the first one on that lie in this slab, as does the first; returns how many that
 * were. A pointer that is no slot, or a free one, is reported. For cached classes, whose slabs are a grain.
 * Neighbours share a word of the bitmap, which stays in a register: a load of what was stored just now would wait.
 */
HP_INLINE unsigned hp_slab_put_run(hp_slab *slab, void *const *chunks, unsigned count)
{
    hp_slab_free *free = slab->free;
    size_t slot_bytes = slab->slot_bytes;
    uint64_t nonempty = free->nonempty;
    size_t word = 0;
    uint64_t bits = free->words[0];
    unsigned done = 0;
    unsigned freed = 0;
    do {
        size_t offset = (size_t)((const char *)chunks[done] - slab->base);
        if (offset >= HP_GRAIN_BYTES) {
            break;
        }
        unsigned index = hp_divide(offset, slab->reciprocal);
        if (HP_UNLIKELY(index * slot_bytes != offset || index >= slab->slot_count)) {
            hp_misuse("free()", "invalid pointer", chunks[done]);
        } else {
            if (index / 64 != word) {
                free->words[word] = bits;
                word = index / 64;
                bits = free->words[word];
            }
            if (HP_UNLIKELY(hp_set_bit(&bits, index))) {
                hp_misuse("free()", "double free of", chunks[done]);
            } else {
                nonempty |= (uint64_t)1 << word;
                freed++;
            }
        }
        done++;
    } while (done < count);
    free->words[word] = bits;
    free->nonempty = nonempty;
    free->free_count += freed;
    return done;
}

#define HP_SLAB_GROUP_SLOTS 8u

/*
 * Groups of eight neighbours that are all free, as in a slab that is new or was freed in order. Takes
 * 1 to *groups of them from the lowest free slot on, out of one bitmap word; their addresses are
 * slot_bytes apart from the one returned on. NULL when the lowest free slots are no eight neighbours.
 */
char *hp_slab_take_groups(hp_slab *slab, unsigned *groups);

/* Frees all slots of a bitmap word; returns the bits that were free already, or are no slots. */
uint64_t hp_slab_put_word(hp_slab *slab, unsigned word, uint64_t bits);

/* A bit for each further slot of a block of a mixed slab; NULL: the slab is none. */
HP_INLINE const _Atomic uint64_t *hp_slab_joined(const hp_slab *slab)
{
    /* acquire: P18, pairs with make_mixed: a slot that was handed out before is joined to none */
    return atomic_load_explicit(&slab->joined, memory_order_acquire);
}

/* How many slots the block has that begins at the index. For who holds the block. */
HP_INLINE uint32_t hp_slab_block_slots(const hp_slab *slab, uint32_t index)
{
    const _Atomic uint64_t *joined = hp_slab_joined(slab);
    if (HP_LIKELY(joined == NULL)) {
        return 1;
    }
    uint32_t next = index + 1;
    uint64_t parted = 0;
    while (next < slab->slot_count && parted == 0) {
        /* relaxed: the bits of a block, and of the slot behind it, do not change as long as somebody holds it */
        uint64_t further = atomic_load_explicit(&joined[next / 64], memory_order_relaxed);
        parted = ~further >> next % 64;
        next += parted == 0 ? 64 - next % 64 : hp_lowest_bit(parted);
    }
    return (next < slab->slot_count ? next : slab->slot_count) - index;
}

HP_INLINE size_t hp_slab_block_bytes(const hp_slab *slab, uint32_t index)
{
    return (size_t)hp_slab_block_slots(slab, index) * slab->slot_bytes;
}

/* The bits that the slots from first to before end have in the bitmap word; there are such. */
HP_INLINE uint64_t hp_slab_bits(unsigned word, uint32_t first, uint32_t end)
{
    uint32_t begin = word * 64;
    uint32_t low = first > begin ? first - begin : 0;
    uint32_t high = end < begin + 64 ? end - begin : 64;
    return ~(uint64_t)0 >> (64 - (high - low)) << low;
}

/* Whether the slot is a further one of a block, so that no block begins there. */
HP_INLINE bool hp_slab_is_inside(const hp_slab *slab, unsigned index)
{
    const _Atomic uint64_t *joined = hp_slab_joined(slab);
    /* relaxed: as above */
    return joined != NULL &&
           (atomic_load_explicit(&joined[index / 64], memory_order_relaxed) >> (index & 63) & 1) !=
               0;
}

/* NULL or a sentence that names the broken invariant. */
const char *hp_slab_check(const hp_slab *slab);

#define HP_NOT_A_SLOT UINT32_MAX

/* Index of the slot that starts at the pointer, HP_NOT_A_SLOT when none does. */
HP_INLINE uint32_t hp_slab_index(const hp_slab *slab, const void *pointer)
{
    size_t offset = (size_t)((const char *)pointer - slab->base);
    uint32_t index = hp_divide(offset, slab->reciprocal);
    if (HP_UNLIKELY((size_t)index * slab->slot_bytes != offset || index >= slab->slot_count)) {
        return HP_NOT_A_SLOT;
    }
    return index;
}
