/*
 * worker: one thread's record: its random numbers, its calls of malloc and free, and its counters.
 *
 * Owns: nothing on the heap. Records are static, so that counting allocates nothing.
 * Invariants: live bytes of the program = sum of allocated_bytes - sum of freed_bytes, in bytes as
 *     requested, whichever thread frees.
 * Threads: every field is written by its own thread only. The atomic counters are read by the
 *     sampler at any time, the histogram after the thread has been joined.
 * Ordering: none; a counter is a number to look at and guards no other data.
 * Used by: message.c, pipeline.c, sampler.c.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "latency.h"

enum { CACHE_LINE_BYTES = 64 };

typedef struct worker {
    _Alignas(2 * CACHE_LINE_BYTES) atomic_uint_fast64_t allocated_bytes;
    atomic_uint_fast64_t freed_bytes;
    atomic_uint_fast64_t messages;
    uint64_t random_state;
    uint64_t calls_until_timed;
    uint64_t timer_random_state;
    latency_histogram malloc_latency;
} worker;

/* Restarts the random numbers that decide what is made: the same seed and stream make the same
 * messages, whatever has been made before. */
void worker_reseed(worker *self, uint64_t seed, uint64_t stream);

/* A number in 0..2^64-1, and one in low..high (both included). */
uint64_t random_next(uint64_t *state);
size_t random_between(uint64_t *state, size_t low, size_t high);

/* malloc and free, counted. One call of malloc in eight, chosen at random, is timed: timing each
 * would cost more than the call. Ends the program when there is no memory. */
void *worker_malloc(worker *self, size_t size_bytes);
void worker_free(worker *self, void *block, size_t size_bytes);

/* Counts one message as finished. */
void worker_count_message(worker *self);

uint64_t workers_live_bytes(worker *workers, unsigned count);
uint64_t workers_messages(worker *workers, unsigned count);
