/*
 * interleave: runs a few threads through every order of their steps.
 *
 * A model is a world (one struct at one address, pointers into itself allowed) and a step function
 * that moves one thread on by one access to what the threads share. The search goes depth first
 * over all schedules and looks at each world once: two worlds are the same when their bytes are,
 * which is told by a fingerprint of 128 bits. Steps are sequentially consistent; what weaker
 * orders could add is ThreadSanitizer's business.
 *
 * Invariants  after every step: check() returns NULL. When no thread has a step left: check_end()
 *             returns NULL. A world without a step must have all threads at their ends.
 * Threads     none: the threads of the model are rows of its world.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INTERLEAVE_DEPTH = 400 };

typedef struct interleave_model {
    void *world;
    size_t world_bytes;
    unsigned thread_count;
    /* Makes the first world; every byte of it. */
    void (*begin)(void);
    /* One step of a thread. False: it is at its end, and nothing was changed. */
    bool (*step)(unsigned thread);
    /* NULL, or a sentence that says what is broken. */
    const char *(*check)(void);
    const char *(*check_end)(void);
} interleave_model;

typedef struct interleave_result {
    const char *broken;                  /* NULL: every schedule is sound */
    uint64_t worlds;                     /* different ones that were reached */
    uint64_t ends;                       /* of these, worlds where every thread is at its end */
    char schedule[4 * INTERLEAVE_DEPTH]; /* the threads in the order that broke it */
} interleave_result;

/* Leaves the world as the broken schedule left it, or as it was at the beginning. */
interleave_result interleave_run(const interleave_model *model);
