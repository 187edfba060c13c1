/*
 * worker: a named thread of a stress program, with its random stream and a counter that the
 * watchdog looks at.
 *
 * Owns      a fixed table of workers; a joined worker's place is used again.
 * Threads   worker_start and worker_join: the main thread; worker_step: the worker itself;
 *           worker_rest: any; worker_at and the counters: the watchdog, at any time.
 * Ordering  the counters are relaxed on purpose: a stress program that ordered its threads by
 *           counting would hide from ThreadSanitizer what the allocator forgets to order.
 */
#pragma once

#include "chance.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { WORKERS_AT_MOST = 512 };

typedef struct worker worker;
typedef void worker_body(worker *self);

typedef enum worker_state { WORKER_ABSENT, WORKER_BUSY, WORKER_RESTING } worker_state;

struct worker {
    const char *role;
    unsigned index; /* among the workers of its role */
    void *context;
    chance stream;
    worker_body *body;
    pthread_t thread;
    _Alignas(64) _Atomic uint64_t operations; /* written by the worker alone */
    _Atomic int state;                        /* a worker_state */
};

/* Seeds the streams of all workers that start from now on. */
void worker_seed(uint64_t seed);

worker *worker_start(const char *role, unsigned index, worker_body *body, void *context);
void worker_join(worker *self);

/* Operations of all workers so far, joined ones included. */
uint64_t worker_operations_of_all(void);

/* NULL for a place without a live worker. */
worker *worker_at(unsigned place);

/* A resting worker waits on purpose: the watchdog leaves it alone. */
void worker_rest(worker *self, bool resting);

static inline void worker_step(worker *self)
{
    uint64_t done =
        atomic_load_explicit(&self->operations, memory_order_relaxed);        /* relaxed: own */
    atomic_store_explicit(&self->operations, done + 1, memory_order_relaxed); /* relaxed: count */
}
