/*
 * mixed: sparse slabs whose free slots serve larger classes, several in a row for a block.
 *
 * Where the sizes that a program uses move on, a few blocks of the old ones keep whole slabs: their free slots fit
 * nothing else, and no page of them is free. Before an owner opens a slab for a class that has several, it makes such a
 * slab a mixed one. From then on the hot map does not know it, so that every free of it goes the slow way, where the
 * length of the block is found; what lines and depots still hold of it are blocks of one slot. The entry of the hot map
 * stays its own until it is closed: who frees a block of one slot may be between the tag and what lies beside it.
 *
 * Owns:        the owner's lists of mixed slabs: for each class that they were of, by the largest hole that each is
 *              known or hoped to have.
 * Invariants:  (hp_mixed_check)
 *   MX1 a slot is joined exactly when it is a further one of a block that is out.
 *   MX2 a mixed slab with a free slot is in one list; a wholly free one is closed.
 *   MX3 a slab in list n has no hole of twice 2^n slots or more, and none of hole_end.
 *   MX4 mixed_lists has bit n of a class exactly when list n has a slab.
 * Threads:     under the owner's claim.
 * Ordering:    P1, P18.
 * Progress:    wait-free.
 * Calls:       slab, holes, storage.   Used by: owner, retire, cache, statistics.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "owner/owner.h"
#include "owner/slab.h"

/*
 * Up to count blocks of the class, each of free slots that lie in a row. 0: no sparse slab of the owner has such.
 * Under the claim.
 */
unsigned hp_mixed_take(hp_owner *owner, unsigned size_class, unsigned count, void **chunks);

/*
 * A block of the class where the system refuses memory: out of any slab of the owner that has a hole, however long that takes,
 * and whoever shares it. NULL: there is none. Under the claim.
 */
void *hp_mixed_scrape(hp_owner *owner, unsigned size_class);

/* The slots of the bits of a mixed slab become free; returns those that were. Under the claim. */
uint64_t hp_mixed_put_word(hp_owner *owner, hp_slab *slab, unsigned word, uint64_t bits);

const char *hp_mixed_check(const hp_owner *owner);
