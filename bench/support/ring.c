#include "support/ring.h"

#include "support/pages.h"

#include <sched.h>

enum { PAUSES = 32 };

bench_ring *bench_rings_new(size_t count, size_t slots)
{
    bench_ring *rings = bench_pages(count * sizeof *rings);
    bench_parcel **all_slots = bench_pages(count * slots * sizeof *all_slots);
    for (size_t i = 0; i < count; i++) {
        rings[i].slots = all_slots + i * slots;
        rings[i].last = slots - 1;
    }
    return rings;
}

bool bench_ring_push(bench_ring *self, bench_parcel *const *batch, size_t count)
{
    /* relaxed: our own index */
    size_t pushed = atomic_load_explicit(&self->pushed, memory_order_relaxed);
    if (pushed + count - self->popped_seen > self->last + 1) {
        self->popped_seen = atomic_load_explicit(&self->popped, memory_order_acquire);
        if (pushed + count - self->popped_seen > self->last + 1) {
            return false;
        }
    }
    for (size_t i = 0; i < count; i++) {
        self->slots[(pushed + i) & self->last] = batch[i];
    }
    atomic_store_explicit(&self->pushed, pushed + count, memory_order_release);
    return true;
}

size_t bench_ring_pop(bench_ring *self, bench_parcel **batch)
{
    /* relaxed: our own index */
    size_t popped = atomic_load_explicit(&self->popped, memory_order_relaxed);
    if (popped == self->pushed_seen) {
        self->pushed_seen = atomic_load_explicit(&self->pushed, memory_order_acquire);
    }
    size_t count = self->pushed_seen - popped;
    count = count < BENCH_RING_BATCH ? count : BENCH_RING_BATCH;
    for (size_t i = 0; i < count; i++) {
        batch[i] = self->slots[(popped + i) & self->last];
    }
    if (count > 0) {
        atomic_store_explicit(&self->popped, popped + count, memory_order_release);
    }
    return count;
}

void bench_ring_close(bench_ring *self)
{
    atomic_store_explicit(&self->closed, true, memory_order_release);
}

bool bench_ring_is_closed(bench_ring *self)
{
    return atomic_load_explicit(&self->closed, memory_order_acquire);
}

void bench_ring_wait(unsigned tries)
{
    if (tries >= PAUSES) {
        sched_yield();
        return;
    }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

void bench_ring_push_all(bench_ring *self, bench_parcel *const *batch, size_t count)
{
    for (unsigned tries = 0; !bench_ring_push(self, batch, count); tries++) {
        bench_ring_wait(tries);
    }
}

size_t bench_ring_pop_some(bench_ring *self, bench_parcel **batch)
{
    for (unsigned tries = 0;; tries++) {
        bool is_closed = bench_ring_is_closed(self);
        size_t count = bench_ring_pop(self, batch);
        if (count > 0 || is_closed) {
            return count;
        }
        bench_ring_wait(tries);
    }
}
