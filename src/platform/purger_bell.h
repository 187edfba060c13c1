/*
 * purger_bell: how the purger hears that there is work, and how it sleeps until then.
 *
 * Whoever makes work for an idle purger rings: one exchange, and a system call only if the purger sleeps. What
 * is being watched already rings nobody, so in a process at work this is as good as never.
 *
 *   ringer:  leaves the work                 purger:  hp_bell_hear: RUNG becomes AWAKE
 *            exchange(bell, RUNG)                     looks at everything
 *            was ASLEEP? wake                         hp_bell_rest: AWAKE becomes ASLEEP, or it
 *                                                     was rung: looks again
 *
 * Owns:        the word that the purger sleeps on; how many slow operations there are to the next tick.
 * Invariants:
 *   BE1 work that is left before a ring is seen by a look that begins after it: the two read-modify-writes
 *       have an order, and the later one sees the other.
 * Threads:     any may ring, also under a claim and in a signal handler; one purger.
 * Ordering:    P15.
 * Progress:    wait-free for whoever rings. The purger waits, for the bell or for a time.
 * Used by:     region, owner, inbox, huge, purger, front.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/compiler.h"

/* Something is worth a look. errno is kept. */
HP_COLD void hp_bell_ring(void);

/* The purger: a look begins; whether the bell had been rung. */
bool hp_bell_hear(void);

/* The purger has found nothing to come back for. False: the bell was rung since hp_bell_hear. */
bool hp_bell_rest(void);

/* After hp_bell_rest: returns when the bell is rung, or now and then for no reason. */
void hp_bell_wait(void);

/* The purger comes back after so many milliseconds; a ring does not disturb it. */
void hp_bell_pause(uint32_t pause_ms);

/* In a forked child: nobody sleeps here. */
void hp_bell_after_fork(void);

/* Odd: where allocations and frees take turns, ticks fall on both, and only those of allocations start a thread. */
#define HP_TICK_OPERATIONS 63u

/*
 * Slow operations left to the next tick; 0: nobody ticks, a purger has its own thread. Shared: relaxed; a
 * decrement that is lost to another thread's delays a tick by one operation.
 */
extern _Atomic uint32_t hp_ticks_left;

/*
 * At the end of a slow operation, outside of every claim: whether it is this one's turn to tick. One about a large block
 * counts for several.
 */
HP_INLINE bool hp_tick_is_due(size_t operations)
{
    /* relaxed: a count, nothing depends on its order */
    uint32_t left = atomic_load_explicit(&hp_ticks_left, memory_order_relaxed);
    if (HP_LIKELY(left == 0)) {
        return false;
    }
    /* relaxed: as above. A thread that stops before it has ticked leaves the next tick to others */
    bool due = left <= operations;
    atomic_store_explicit(&hp_ticks_left, due ? HP_TICK_OPERATIONS : left - (uint32_t)operations,
                          memory_order_relaxed);
    return due;
}

/* The next tick comes after so many slow operations; 0: none. */
void hp_ticks_set(uint32_t operations);
