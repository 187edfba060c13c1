/*
 * purger: memory that is not used any more goes back by the clock; the action to decay's policy.
 *
 * It works in looks. A look drains inboxes, retires what owners keep and have not used, gives back as many
 * free dirty pages as are due, unmaps spare regions and kept mappings. After it there is either a next look
 * a step later, or nothing left to come back for: then everything that could make work rings the bell.
 *
 * Whose thread: a process with two threads gets a purger of its own, at a slow operation that is no free, outside of
 * all claims. Before that, with purger:off, and where no thread can be had, slow operations tick: now and then
 * one of them looks.
 *
 *   hp_purger_tick
 *     may start a thread: does so            once; from then on nobody ticks
 *     a step has passed: hp_purger_look      by whoever gets the role
 *
 * Owns:        the role, the history of the decay, the thread.
 * Invariants:
 *   PG1 one thread at a time has the role, and only it looks.
 *   PG2 no purger keeps a process alive: once the main thread has ended, it ends when nothing is left to do.
 * Threads:     hp_purger_tick by any, outside of every claim.
 * Ordering:    P1 (the role is a claim), P15 (bell), P20 (the end of its thread).
 * Progress:    a look never waits for a claim. The thread waits for the bell, or a step.
 * Calls:       decay, retire, purge, huge, arena.   Used by: front, options.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "platform/compiler.h"
#include "platform/purger_bell.h"

/* Before the first look. From HP_DECAY_NEVER to HP_DECAY_MOST_MS. */
void hp_purger_set_decay(int64_t decay_ms);

/* Whether the purger may have a thread. */
void hp_purger_set_thread(bool wanted);

/*
 * A slow operation has ended and it is its turn: hp_tick_is_due(). errno is kept. It may start the thread unless it
 * is a free: libc frees what its ended threads had under the lock that it needs to start one.
 */
HP_COLD void hp_purger_tick(bool may_start);

/* With less memory than that a thread has time until the next tick that may start one. */
#define HP_PURGER_EARLY_BYTES ((uint64_t)8 << 20)

/*
 * From calloc, by which libc gets what it keeps of a new thread: the process is about to have two, and perhaps none
 * of them will ever allocate again, only free.
 */
HP_COLD void hp_purger_start_early(void);

HP_INLINE bool hp_purger_may_be_missing(void)
{
    /* relaxed: a count, nothing depends on its order */
    return !hp_is_single_threaded() &&
           atomic_load_explicit(&hp_ticks_left, memory_order_relaxed) != 0;
}

/* How much of an owner one look covers, in portions: where the program waits for it, and where not. */
#define HP_PURGER_TICK_PORTIONS 16u
#define HP_PURGER_THREAD_PORTIONS 1024u

/* One look, for tests too; the caller has the role. Milliseconds to the next one, 0: nothing remains. */
uint32_t hp_purger_look(uint64_t now_ms, unsigned portions);

/*
 * Everything that can be returned was to be, and somebody had claimed a part of it: that goes at the next looks,
 * without waiting for its age. By any thread.
 */
void hp_purger_hurry(void);

/* By the main thread, before there are others. */
void hp_purger_watch_main_thread(void);

/* In a forked child: the purger's thread is gone; a new one comes when the child has two threads. */
void hp_purger_after_fork(void);
