/*
 * decay: how many free dirty pages are due at a time; the policy, without an action.
 *
 * Pages that became free at one moment may stay along a smooth curve: all of them at first, half of them
 * after half of decay_ms, none after decay_ms. Time is cut into HP_DECAY_STEPS steps; how many pages
 * arrived in each of the last ones is all that is remembered. What may stay is the sum over the steps of
 * what arrived in them and the share that the curve leaves at that age. Which pages are meant is not
 * known: pages that are used again lower the number that is there, and nothing is due for them.
 *
 * Owns:        nothing; the history lies with the caller.
 * Invariants:  (hp_decay_check)
 *   DE1 what may stay is at most what arrived in the last HP_DECAY_STEPS steps.
 *   DE2 share of the curve: 1 at age 0, falling, 0 from age decay_ms on.
 * Threads:     sequential: whoever does the purger's work.
 * Ordering:    none.
 * Progress:    wait-free; linear in HP_DECAY_STEPS. No clock: the time is an argument.
 * Calls:       nothing.
 * Used by:     purger.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define HP_DECAY_STEPS 20u
#define HP_DECAY_DEFAULT_MS 1000
#define HP_DECAY_NEVER (-1)
/* A day: products with a time stay far from the end of 64 bits. */
#define HP_DECAY_MOST_MS 86400000

/* More pages than any machine has; counts above it are taken as this. */
#define HP_DECAY_MOST_PAGES ((uint64_t)1 << 40)

typedef struct hp_decay {
    int64_t decay_ms;    /* 0: due at once; HP_DECAY_NEVER: never */
    uint64_t step_start; /* when the current step began, in ms * HP_DECAY_STEPS */
    uint64_t arrived_pages[HP_DECAY_STEPS]; /* by step, the youngest first */
    uint64_t known_pages;                   /* pages above this have arrived since the last look */
    uint64_t allowed_pages;                 /* what may stay, as of the last look */
} hp_decay;

/* Nothing has arrived yet. decay_ms from HP_DECAY_NEVER to HP_DECAY_MOST_MS. */
void hp_decay_begin(hp_decay *decay, int64_t decay_ms, uint64_t now_ms);

/* Of so many dirty pages, how many are due at this time. */
uint64_t hp_decay_due(hp_decay *decay, uint64_t now_ms, uint64_t dirty_pages);

/* So many are left after what was due was returned, or after as much of it as could be. */
void hp_decay_settle(hp_decay *decay, uint64_t left_pages);

/* Milliseconds from one look to the next, at least 1: more often nothing new is due. */
uint32_t hp_decay_step_ms(const hp_decay *decay);

/* NULL or a sentence that names the broken invariant. */
const char *hp_decay_check(const hp_decay *decay);
