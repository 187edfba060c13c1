/*
 * ring: a bounded queue of parcels from one thread to one other.
 *
 * Parcels cross in batches: one index is published per batch, and each side keeps what it last saw of
 * the other's index, so that the queue costs little beside the allocator.
 *
 * Owns        nothing of the allocator under test.
 * Invariants  popped <= pushed <= popped + slots; both only grow.
 * Threads     push and close by the producer, pop by the consumer.
 * Ordering    the release of pushed pairs with the acquire in pop: a parcel's content is seen by who
 *             gets it. The release of popped pairs with the acquire in push: a slot is read before it
 *             is written again.
 * Progress    wait-free. Who finds it full or empty waits by bench_ring_wait().
 */
#pragma once

#include "support/parcel.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { BENCH_RING_BATCH = 32 };

typedef struct bench_ring {
    _Alignas(128) _Atomic size_t pushed; /* written by the producer, read by both */
    size_t popped_seen;                  /* the producer's */
    _Atomic bool closed;                 /* written by the producer, read by both */
    _Alignas(128) _Atomic size_t popped; /* written by the consumer, read by both */
    size_t pushed_seen;                  /* the consumer's */
    _Alignas(128) bench_parcel **slots;  /* constant */
    size_t last;                         /* constant: the number of slots, a power of two, less 1 */
} bench_ring;

/* `count` rings of `slots` slots each, a power of two and at least BENCH_RING_BATCH. */
bench_ring *bench_rings_new(size_t count, size_t slots);

/* All of the batch, or nothing if there is no room for all. */
bool bench_ring_push(bench_ring *self, bench_parcel *const *batch, size_t count);

/* Up to BENCH_RING_BATCH parcels; 0 if there are none. */
size_t bench_ring_pop(bench_ring *self, bench_parcel **batch);

/* No push may follow. */
void bench_ring_close(bench_ring *self);

/* Whether it was closed: a pop after this that finds nothing is the last one. */
bool bench_ring_is_closed(bench_ring *self);

/* Between two tries: the first few only pause, since the other side may be at work on another core;
 * then it gets the core. `tries` counts those in a row. */
void bench_ring_wait(unsigned tries);

/* Pushes the batch, waiting for room. */
void bench_ring_push_all(bench_ring *self, bench_parcel *const *batch, size_t count);

/* Waits for a parcel; 0 if the ring is closed and empty. */
size_t bench_ring_pop_some(bench_ring *self, bench_parcel **batch);
