/*
 * pack: chunks of a class that left a thread's line together, and stacks of packs that nobody has to claim.
 *
 * All packs lie in one row and have their place there as a name, so that a stack is one word: the name of its top
 * and, above it, how often something was pushed. Who pops compares both, so a top that went and came back with
 * another pack below it is told from one that never went.
 *
 * Owns:        the packs.
 * Invariants:
 *   K1  a pack is on at most one stack or in one hand; its chunks belong to whoever holds it.
 *   K2  the row is never unmapped: what lies below a pack may be read when somebody else has popped it.
 * Threads:     any.
 * Ordering:    P17: what was written to a pack before its push is seen by who pops it.
 * Progress:    lock-free: a try fails only when another one succeeded.
 * Calls:       nothing.   Used by: depot.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "metadata/size_class.h"
#include "platform/compiler.h"

typedef struct hp_pack {
    HP_LINE_ALIGNED void *chunks[HP_LINE_CHUNKS];
    _Atomic uint64_t
        below; /* shared: relaxed, see hp_pack_pop; the name of the next one down, 0: none */
} hp_pack;

_Static_assert(sizeof(hp_pack) == HP_CACHE_LINE_BYTES, "a pack is one cache line");

/* As many as a name can tell apart: what depots have room for, and what lies in the hands of 4,000 threads. */
#define HP_PACKS 65534u
#define HP_PACK_NAME_BITS 16u
#define HP_PACK_NAME_MASK ((UINT64_C(1) << HP_PACK_NAME_BITS) - 1)

_Static_assert(HP_PACKS < HP_PACK_NAME_MASK, "a name has so many bits");

extern hp_pack hp_packs[HP_PACKS + 1]; /* the first one has no name */

typedef struct hp_pack_stack {
    _Atomic uint64_t top; /* shared: P17 */
} hp_pack_stack;

/* NULL for the name 0. Of a stack's word, the name in it counts. */
HP_INLINE hp_pack *hp_pack_named(uint64_t word)
{
    uint64_t name = word & HP_PACK_NAME_MASK;
    return name == 0 ? NULL : &hp_packs[name];
}

HP_INLINE uint64_t hp_pack_name(const hp_pack *pack)
{
    return (uint64_t)(pack - hp_packs);
}

/* The stack's word after a push, with the pack of this name on top, and after a pop, when it comes on top. */
HP_INLINE uint64_t hp_pack_word_pushed(uint64_t word, uint64_t name)
{
    return (word & ~HP_PACK_NAME_MASK) + (UINT64_C(1) << HP_PACK_NAME_BITS) + name;
}

HP_INLINE uint64_t hp_pack_word_popped(uint64_t word, uint64_t name)
{
    return (word & ~HP_PACK_NAME_MASK) + name;
}

/* The next one down; NULL: none. Of a pack in the caller's hands. */
HP_INLINE hp_pack *hp_pack_below(const hp_pack *pack)
{
    /* relaxed: whose hands it came into by P17 */
    return hp_pack_named(atomic_load_explicit(&pack->below, memory_order_relaxed));
}

HP_INLINE void hp_pack_set_below(hp_pack *pack, const hp_pack *below)
{
    uint64_t name = below == NULL ? 0 : hp_pack_name(below);
    /* relaxed: the push that follows publishes it; a pop that reads it late fails */
    atomic_store_explicit(&pack->below, name, memory_order_relaxed);
}

/* A hint: another pack may be on top by the time that it is used. */
HP_INLINE bool hp_pack_stack_is_empty(const hp_pack_stack *stack)
{
    /* relaxed: a hint; the pop decides */
    return (atomic_load_explicit(&stack->top, memory_order_relaxed) & HP_PACK_NAME_MASK) == 0;
}

/* A chain of packs that hang below each other, from first to last; returns the stack's word. */
HP_INLINE uint64_t hp_pack_push_chain(hp_pack_stack *stack, hp_pack *first, hp_pack *last)
{
    /* relaxed: compared and not followed */
    uint64_t top = atomic_load_explicit(&stack->top, memory_order_relaxed);
    uint64_t next;
    do {
        /* relaxed: as in hp_pack_set_below */
        atomic_store_explicit(&last->below, top & HP_PACK_NAME_MASK, memory_order_relaxed);
        next = hp_pack_word_pushed(top, hp_pack_name(first));
        /* acq_rel: P17, pairs with the pop; P16, with the purger's look. relaxed on failure: as above */
    } while (HP_UNLIKELY(!atomic_compare_exchange_weak_explicit(
        &stack->top, &top, next, memory_order_acq_rel, memory_order_relaxed)));
    return next;
}

HP_INLINE void hp_pack_push(hp_pack_stack *stack, hp_pack *pack)
{
    hp_pack_push_chain(stack, pack, pack);
}

/* NULL when there is none. */
HP_INLINE hp_pack *hp_pack_pop(hp_pack_stack *stack)
{
    /* acquire: P17, pairs with the push: what lies below the top was written before */
    uint64_t top = atomic_load_explicit(&stack->top, memory_order_acquire);
    for (;;) {
        hp_pack *pack = hp_pack_named(top);
        if (HP_UNLIKELY(pack == NULL)) {
            return NULL;
        }
        /* relaxed: when somebody else has the pack by now, the word has changed */
        uint64_t below = atomic_load_explicit(&pack->below, memory_order_relaxed);
        uint64_t next = hp_pack_word_popped(top, below);
        /* acquire: P17; also on failure, as above */
        if (HP_LIKELY(atomic_compare_exchange_weak_explicit(
                &stack->top, &top, next, memory_order_acquire, memory_order_acquire))) {
            return pack;
        }
    }
}

/* All of them, the newest first; NULL: none. Writes the word in any case: P16. */
hp_pack *hp_pack_take_all(hp_pack_stack *stack);

/* A pack that was never used; NULL: all were. */
hp_pack *hp_pack_begin(void);

/* How many packs are on the stack: exact while nobody changes it. */
uint32_t hp_pack_count(const hp_pack_stack *stack);
