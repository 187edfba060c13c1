/*
 * claim: the word that says whether somebody works on an owner or a region.
 *
 * Owns:        one atomic word.
 * Invariants:
 *   C1  between a successful hp_claim_try and its hp_claim_release, every other try fails.
 * Threads:     any; a claim is released by the thread that took it.
 * Ordering:    P1: what was written under a claim is visible to the next thread that takes it.
 * Progress:    wait-free. A try is one compare-and-swap; whoever fails goes elsewhere or leaves a
 *              note, and never tries the same claim in a loop.
 * Used by:     owner, region.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "platform/compiler.h"

typedef enum hp_claim_state { HP_CLAIM_OPEN = 0, HP_CLAIM_TAKEN = 1 } hp_claim_state;

typedef struct hp_claim {
    _Atomic uint32_t state; /* shared: P1 */
} hp_claim;

HP_INLINE bool hp_claim_try(hp_claim *claim)
{
    uint32_t open = HP_CLAIM_OPEN;
    /* acquire: P1, pairs with hp_claim_release. relaxed on failure: nothing is read then. */
    return atomic_compare_exchange_strong_explicit(&claim->state, &open, HP_CLAIM_TAKEN,
                                                   memory_order_acquire, memory_order_relaxed);
}

HP_INLINE void hp_claim_release(hp_claim *claim)
{
    /* release: P1, pairs with the next hp_claim_try that succeeds */
    atomic_store_explicit(&claim->state, HP_CLAIM_OPEN, memory_order_release);
}

/* A hint for choosing: it may have changed by the time that it is used. */
HP_INLINE bool hp_claim_is_taken(const hp_claim *claim)
{
    /* relaxed: only a hint, the try that follows decides */
    return atomic_load_explicit(&claim->state, memory_order_relaxed) == HP_CLAIM_TAKEN;
}
