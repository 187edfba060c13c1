/*
 * gate: brings all workers through the phases together.
 *
 * The conductor opens a phase and waits until each group has left it; a worker enters, works, and
 * leaves. Between two phases nobody works, so the figures of a phase are its own.
 *
 * Owns: nothing on the heap.
 * Invariants: working[g] is the number of workers of group g that have yet to leave the open phase.
 * Threads: gate_open() and gate_wait_until_left() by the conductor; the others by the workers.
 * Ordering: the mutex orders everything before a gate_leave() before what follows the wait for it.
 * Progress: waits, by purpose.
 * Used by: pipeline.c.
 */
#pragma once

#include <pthread.h>

typedef enum gate_group { GATE_PRODUCERS, GATE_CONSUMERS, GATE_GROUPS } gate_group;

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int phase;                     /* lock */
    unsigned members[GATE_GROUPS]; /* constant */
    unsigned working[GATE_GROUPS]; /* lock */
} gate;

void gate_init(gate *self, unsigned producers, unsigned consumers);

/* Opens phase number `phase`: one more than the last, beginning with 0. */
void gate_open(gate *self, int phase);
void gate_wait_until_left(gate *self, gate_group group);

/* Waits for the phase `phase`. */
void gate_enter(gate *self, int phase);
void gate_leave(gate *self, gate_group group);
