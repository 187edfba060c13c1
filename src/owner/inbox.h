/*
 * inbox: frees that reach an owner from threads that do not hold its claim.
 *
 * A free sets a bit in the slab's remote word; the slab, not the chunk, goes on the owner's inbox.
 *
 *   freer:    fetch_or(remote[w], bits)         drainer: take all slabs; for each, or for some at a time:
 *             fetch_or(pending, 1 << w)                  read its link
 *             pending was 0? push the slab               exchange(pending, 0): may be pushed again
 *                                                        for each w: exchange(remote[w], 0)
 *
 * A freer that is late can push a slab whose bits the drainer has seen already; the slab then lies in
 * the same owner's inbox without news, also when its record serves another chunk by then: harmless.
 *
 * Owns:        the protocol; the words lie in slab and owner.
 * Invariants:
 *   I1  a slab is on its owner's inbox, or was taken out of it, or is about to be pushed, exactly when pending is not
 *       0.
 *   I2  a remote bit is consumed exactly once.
 *   I3  as long as slabs that were taken out of the inbox are not worked in, inbox_bytes is not 0.
 * Threads:     hp_inbox_post by any; hp_inbox_drain under the owner's claim.
 * Ordering:    P2 (stack), P3 (remote), P4 (pending), P19 (inbox_bytes).
 * Progress:    post is wait-free but for the lock-free push; drain is wait-free in what it took.
 * Calls:       slab, owner, crossing.   Used by: owner, outbox, thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "owner/owner.h"

/* Above this many waiting bytes a freer tries to claim the owner and drains it itself. */
#define HP_INBOX_LIMIT_BYTES ((uint64_t)256 << 10)

/* So many slabs a call works in that has something else to do. */
#define HP_INBOX_PORTION_SLABS 8u

/* Whether bytes wait. A post that is under way may be missed: it counts its bytes last. */
HP_INLINE bool hp_inbox_has_news(const hp_owner *owner)
{
    /* relaxed: a counter; what is missed now is seen next time */
    return atomic_load_explicit(&owner->inbox_bytes, memory_order_relaxed) != 0;
}

void hp_inbox_post(hp_slab *slab, unsigned word, uint64_t bits);

/* The same for the slots of a block. */
void hp_inbox_post_block(hp_slab *slab, uint32_t index);

/* inbox_bytes less what of it was worked in already. Under the claim. */
uint64_t hp_inbox_waiting_bytes(const hp_owner *owner);

/* Works through what was posted. Under the claim. */
void hp_inbox_drain(hp_owner *owner);

/* Through so many slabs of it at most. Under the claim. */
void hp_inbox_drain_some(hp_owner *owner, unsigned slabs);

/* Before a slot of the class is taken: through some of it, or all if the class has none else. Under the claim. */
HP_INLINE void hp_inbox_drain_for(hp_owner *owner, unsigned size_class)
{
    if (HP_LIKELY(!hp_inbox_has_news(owner))) {
        return;
    }
    hp_inbox_drain_some(owner, HP_INBOX_PORTION_SLABS);
    if (HP_UNLIKELY(owner->classes[size_class].first == NULL)) {
        hp_inbox_drain(owner);
    }
}

/* Whether the slot is known to be free: noted, or in its slab's bitmap if the owner can be claimed. */
bool hp_inbox_is_free(hp_slab *slab, unsigned index);

/* Frees a block at once if the owner can be claimed, else posts it. */
void hp_inbox_free_now(hp_slab *slab, unsigned index);
