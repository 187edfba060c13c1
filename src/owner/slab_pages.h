/*
 * slab_pages: pages of an open slab that no slot in use reaches into go back to the system.
 *
 * Nothing of the allocator lies in a slab, so a page whose slots are all free may lose its memory while its
 * neighbours live. Slots of lines, packs and outboxes are not free: a bit says so of all that is out.
 *
 * Owns:        given_back_pages and resting_pages of the slab's record; bit p: page p of the slab.
 * Invariants:  (hp_slab_pages_check)
 *   SP1 a page that was given back has no slot that was handed out since: the pages of slots that are
 *       handed out are cleared, so that no page is given back twice, and none is forgotten.
 *   SP2 a page is given back only if it was wholly free at two looks in a row.
 * Threads:     under the owner's claim.
 * Ordering:    P1.
 * Progress:    wait-free but for the kernel's calls.
 * Calls:       slab, system.   Used by: slab, retire.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "owner/slab.h"

/* Pages of the slab that no slot in use reaches into, and at least one slot does. */
uint64_t hp_slab_free_pages(const hp_slab *slab);

/*
 * One look: what was free at the last one and is so now goes back. *calls: system calls made. Returns whether
 * there is something to come back for: free pages that are not given back yet.
 */
bool hp_slab_pages_look(hp_slab *slab, unsigned *calls);

/* Gives all free pages back at once; the bytes. */
size_t hp_slab_pages_trim(hp_slab *slab);

/* NULL or a sentence that names the broken invariant. */
const char *hp_slab_pages_check(const hp_slab *slab);
