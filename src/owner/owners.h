/*
 * owners: all owners, and which of them a thread works with.
 *
 * Owns:        the list of owners, their numbers.
 * Invariants:
 *   OS1 owners are never freed, so the list only grows; ids count from 1 and are never given twice.
 * Threads:     any. A thread is bound to an owner to keep to it, no more.
 * Ordering:    P1 (claim), P11 (list).
 * Progress:    wait-free: so many looks at the owners there are, then a new one is made. The append of one is
 *              lock-free.
 * Calls:       owner, depot, inbox, storage.   Used by: thread, front, statistics.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "owner/owner.h"

/* The hot map has 16 bits for an id and uses two values itself. */
#define HP_OWNER_ID_MAX 0xfffeu

/* The oldest owner, or NULL. */
hp_owner *hp_owners_first(void);

/* The next younger one, or NULL. */
HP_INLINE hp_owner *hp_owners_next(const hp_owner *owner)
{
    /* acquire: P11, pairs with the append of a new owner */
    return atomic_load_explicit(&owner->next, memory_order_acquire);
}

/* Asks the system how many processors there are; once, early, before a seccomp filter may forbid it. */
void hp_owners_count_processors(void);

/* So many owners have threads bound to them; more come only where all are claimed at a moment. */
uint32_t hp_owners_to_bind(void);

/* Whether there are fewer: a soft limit. */
bool hp_owners_may_add(void);

/* A new, claimed and listed owner to which so many threads are bound. NULL: no memory. */
HP_SLOW hp_owner *hp_owners_add(uint32_t threads);

/*
 * Of the oldest owners, as many as there are usable processors, the one with the fewest threads, claimed or not, or a
 * new one while there are not as many. What a crowd made beyond them is left to empty.
 */
hp_owner *hp_owners_bind(void);

/*
 * A thread of the owner has gone to another processor: with many threads the owner stays, and the answer is that
 * processor's, claimed or not, to which the thread is bound now. Else, or if that processor has none, the owner goes
 * along, unless it is claimed: after a fork it may be for ever. NULL: the thread keeps its owner.
 */
hp_owner *hp_owners_follow(hp_owner *owner, uint32_t processor);

/* The one with the fewest threads of all whose claim is open: for a forked child, where claims may stay taken. */
hp_owner *hp_owners_bind_to_any(void);
void hp_owners_unbind(hp_owner *owner);

/* After a fork the child has one thread: the others' ties to their owners are gone, and what was in their hands. */
void hp_owners_keep_only(hp_owner *bound, uint32_t room_bytes, uint32_t single_room_bytes);

/* A claimed owner: the preferred one (may be NULL), else any other, else a new one. NULL: no memory. */
hp_owner *hp_owners_claim_any(hp_owner *preferred);

/* Another owner, claimed, that has a free slot of the class in an open slab; NULL when none can be had. */
hp_owner *hp_owners_claim_serving(unsigned size_class);

/*
 * A pack of the class out of another owner's depot, without a claim; its chunks are the caller's, and it goes back by
 * hp_depot_return_pack to the owner that *from says. Under the same conditions as below. NULL: there is none.
 */
hp_pack *hp_owners_pop_spare(const hp_owner *asking, unsigned size_class, hp_owner **from);

/*
 * Another owner, claimed, that has slots of the class to spare: any where no thread is bound to it, and where many are
 * to it or to the asking one, more than a few slabs with free ones. What others have freed there counts. NULL: none can
 * be had.
 */
hp_owner *hp_owners_claim_sparing(const hp_owner *asking, unsigned size_class);

/*
 * One chunk of the class or a larger one out of any owner's open slabs, without asking the arena: what is
 * left when the system refuses. NULL: every slab that can be claimed is full.
 */
HP_COLD void *hp_owners_scrape(unsigned size_class, bool *zeroed);

/*
 * Drains and trims every owner that can be claimed; whether all could be. Until two passes of the purger have
 * gone by their depots hold little; with decay_ms:-1, where there are none, from then on.
 */
bool hp_owners_trim_all(void);

/* Gives the free pages of the open slabs of every owner that can be claimed to the system; the bytes. */
size_t hp_owners_trim_pages(void);
