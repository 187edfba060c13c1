/*
 * lists: the lists of an owner's slabs that have a free slot: one for each class, and behind them those of mixed slabs.
 *
 * Owns:        nothing; the heads are the owner's, the links the slabs'.
 * Invariants:  L4 of slab, O2 of owner, MX2 of mixed.
 * Threads:     under the owner's claim.
 * Ordering:    P1.
 * Progress:    wait-free.
 * Calls:       owner, slab.   Used by: owner, mixed, retire, statistics.
 */
#pragma once

#include <stdbool.h>

#include "owner/owner.h"
#include "owner/slab.h"

#define HP_SLAB_LISTS (HP_CLASSES + HP_CACHED_CLASSES * HP_MIXED_LISTS)

HP_INLINE hp_slab *hp_list_first(const hp_owner *owner, unsigned list)
{
    unsigned mixed = list - HP_CLASSES;
    return list < HP_CLASSES ? owner->classes[list].first
                             : owner->mixed[mixed / HP_MIXED_LISTS][mixed % HP_MIXED_LISTS].first;
}

/* This list, or if it is an empty one of mixed slabs, the next that is not; HP_SLAB_LISTS: there is none. */
unsigned hp_list_from(const hp_owner *owner, unsigned list);

/* A record of the owner that was once in the list may be in another one now, or in none. */
bool hp_list_has(const hp_owner *owner, const hp_slab *slab, unsigned list);

/* A slab with a free slot enters the list of a class that begins with *first, and leaves it. */
void hp_list_link(hp_slab **first, hp_slab *slab);
void hp_list_unlink(hp_slab **first, const hp_slab *slab);

/* A mixed slab enters a list at one of its ends, and leaves it. */
void hp_list_put_first(hp_mixed_list *list, hp_slab *slab);
void hp_list_put_last(hp_mixed_list *list, hp_slab *slab);
void hp_list_take_out(hp_mixed_list *list, const hp_slab *slab);
