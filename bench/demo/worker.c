#include "worker.h"

#include <stdio.h>
#include <stdlib.h>

/* splitmix64 (Steele, Lea and Flood, 2014): any seed will do, and no state is a bad one. */
uint64_t random_next(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

size_t random_between(uint64_t *state, size_t low, size_t high)
{
    uint64_t span = high - low + 1;
    return low + (size_t)((unsigned __int128)random_next(state) * span >> 64);
}

void worker_reseed(worker *self, uint64_t seed, uint64_t stream)
{
    self->random_state = seed;
    self->random_state = random_next(&self->random_state) ^ (stream * 0xd1342543de82ef95u);
}

/* Only its own thread writes a counter, so a load and a store do for an addition. */
static void add(atomic_uint_fast64_t *counter, uint64_t amount)
{
    /* relaxed, both: a number for the sampler to look at; no other data depends on it */
    uint64_t before = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, before + amount, memory_order_relaxed);
}

static uint64_t read_counter(atomic_uint_fast64_t *counter)
{
    /* relaxed: a number to look at; no other data depends on it */
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void *timed_malloc(worker *self, size_t size_bytes)
{
    self->calls_until_timed = random_between(&self->timer_random_state, 1, 15);
    uint64_t begin_ticks = latency_begin_ticks();
    void *block = malloc(size_bytes);
    uint64_t end_ticks = latency_end_ticks();
    latency_record(&self->malloc_latency, end_ticks - begin_ticks);
    return block;
}

void *worker_malloc(worker *self, size_t size_bytes)
{
    void *block;
    if (self->calls_until_timed-- == 0) {
        block = timed_malloc(self, size_bytes);
    } else {
        block = malloc(size_bytes);
    }
    if (block == NULL) {
        fprintf(stderr, "pipeline: malloc(%zu) returned NULL\n", size_bytes);
        exit(1);
    }
    add(&self->allocated_bytes, size_bytes);
    return block;
}

void worker_free(worker *self, void *block, size_t size_bytes)
{
    free(block);
    add(&self->freed_bytes, size_bytes);
}

void worker_count_message(worker *self)
{
    add(&self->messages, 1);
}

/* Frees are summed first: a block that moves between the two sums is then counted as live, and the
 * difference is never negative. */
uint64_t workers_live_bytes(worker *workers, unsigned count)
{
    uint64_t freed_bytes = 0;
    uint64_t allocated_bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        freed_bytes += read_counter(&workers[i].freed_bytes);
    }
    for (unsigned i = 0; i < count; i++) {
        allocated_bytes += read_counter(&workers[i].allocated_bytes);
    }
    return allocated_bytes > freed_bytes ? allocated_bytes - freed_bytes : 0;
}

uint64_t workers_messages(worker *workers, unsigned count)
{
    uint64_t messages = 0;
    for (unsigned i = 0; i < count; i++) {
        messages += read_counter(&workers[i].messages);
    }
    return messages;
}
