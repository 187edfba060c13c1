/*
 * retire: what an owner keeps and has not used for a while goes back: packs of its depot into their slabs,
 * the wholly free slab of a class to the arena, pages of open slabs to the system.
 *
 * A pass walks all classes of an owner, in portions, with the claim open between them. What was there at the
 * last pass and is there now, unchanged, was not used. Every decision is made under the claim from what is
 * seen then; what is remembered between portions and passes only chooses where to look.
 *
 *   pass begins: watched = false          from here on who makes work rings (hp_owner_watch)
 *   portions                              depot, wholly free slab, pages of open slabs
 *   pass ends: nothing found, nobody rang: the owner is left alone; else it stays watched
 *
 * Owns:        the pass, which lies in the owner.
 * Invariants:
 *   RE1 an owner that is not watched has no pack, no news, no wholly free slab and no free page that
 *       could go back, or whoever made it so is about to ring.
 * Threads:     hp_owner_look: one at a time, whoever has the purger's role. hp_owner_watch: any.
 * Ordering:    P1, P16.
 * Progress:    never waits for a claim; a look has as many portions as its caller says.
 * Calls:       owner, depot, inbox, slab_pages.   Used by: owner, depot, inbox, purger.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "owner/owner.h"
#include "platform/compiler.h"

/* What one claim may cover: slabs looked at and packs returned; one slab that needs the kernel ends it. */
#define HP_RETIRE_PORTION 64u

/* There may be work for the purger: rings if the owner is not watched. */
HP_COLD void hp_owner_watch(hp_owner *owner);

/* Where slots become free: one load as long as the owner is watched. */
HP_INLINE void hp_owner_have_watched(hp_owner *owner)
{
    /* relaxed: P16 orders it where no claim does; under the claim the purger cannot clear it */
    if (HP_UNLIKELY(!atomic_load_explicit(&owner->watched, memory_order_relaxed))) {
        hp_owner_watch(owner);
    }
}

/* Gives the free pages of all open slabs back at once; the bytes. Any thread, under the owner's claim. */
size_t hp_owner_trim_pages(hp_owner *owner);

/* In a forked child, of an owner that is claimed: looks leave it alone until somebody rings and its claim is open. */
void hp_owner_abandon(hp_owner *owner);

typedef enum hp_look_end {
    HP_LOOK_DONE,  /* nothing to come back for, until somebody rings */
    HP_LOOK_LATER, /* there will be */
    HP_LOOK_SOON   /* the pass is under way */
} hp_look_end;

/* Drains the inbox and goes on with the pass, at most so many portions; a new one begins pass_ms after the last. */
hp_look_end hp_owner_look(hp_owner *owner, uint32_t now_ms, uint32_t pass_ms, unsigned portions);
