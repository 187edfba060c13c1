/* Heaps whose blocks are replaced for a long time, at a steady pace. */
#include "rss/gauge.h"
#include "rss/pool.h"
#include "rss/scenarios.h"
#include "support/random.h"
#include "support/shifting.h"
#include "support/team.h"

#include <pthread.h>

enum { TICK_MS = 100, LIVE_BYTES = 64 << 20, LEAST_BYTES = 32 };

typedef struct heap {
    const rss_plan *plan;
    size_t live_bytes; /* at most */
    pool held;
    bench_random random;
    void (*live)(struct heap *self);
    pthread_barrier_t over;
} heap;

static void take_part(unsigned member, void *context)
{
    heap *self = context;
    if (member == 0) {
        self->live(self);
    }
    pthread_barrier_wait(&self->over);
}

/* Two threads, one of which waits: a process with several threads, as most are. */
static void run(const rss_plan *plan, void (*live)(heap *self))
{
    heap self = {.plan = plan, .live = live, .random = bench_random_seeded(1)};
    self.live_bytes = (size_t)(LIVE_BYTES * plan->scale);
    self.held = pool_new(self.live_bytes / LEAST_BYTES + 1);
    pthread_barrier_init(&self.over, NULL, 2);
    bench_team_run(2, take_part, &self);
    pool_free(&self.held);
}

/* ---- sawtooth ------------------------------------------------------------------------------------ */

enum { TOOTH_MS = 500, SAW_MOST_BYTES = 4096 };

static void grow_and_shrink(heap *self)
{
    unsigned teeth = self->plan->seconds * 1000 / TOOTH_MS;
    for (unsigned tooth = 0; tooth < teeth; tooth++) {
        while (self->held.bytes + SAW_MOST_BYTES < self->live_bytes) {
            pool_add(&self->held, bench_random_inverse(&self->random, LEAST_BYTES, SAW_MOST_BYTES));
        }
        gauge_numbered_point("full", tooth);
        while (self->held.bytes > self->live_bytes / 2) {
            pool_free_any(&self->held, &self->random);
        }
        gauge_wait_until((tooth + 1) * TOOTH_MS);
    }
}

/* Every half second the heap grows to 64 MiB, then half of it is freed, here and there. */
void sawtooth(const rss_plan *plan)
{
    run(plan, grow_and_shrink);
}

/* ---- sizes that move ----------------------------------------------------------------------------- */

enum { MIDDLES_TICKS = 10 };

static void replace_at(heap *self, unsigned number, size_t bytes)
{
    for (size_t allocated = 0; allocated < bytes;) {
        size_t next = bench_shifting_bytes(number, &self->random);
        while (self->held.bytes + next > self->live_bytes) {
            pool_free_any(&self->held, &self->random);
        }
        pool_add(&self->held, next);
        allocated += next;
    }
}

static void shift(heap *self)
{
    unsigned ticks = self->plan->seconds * 1000 / TICK_MS;
    replace_at(self, 0, self->live_bytes);
    for (unsigned tick = 0; tick < ticks; tick++) {
        replace_at(self, tick / MIDDLES_TICKS, self->live_bytes / MIDDLES_TICKS);
        if (tick % MIDDLES_TICKS == MIDDLES_TICKS - 1) {
            gauge_numbered_point("moved", tick / MIDDLES_TICKS);
        }
        gauge_wait_until((tick + 1) * TICK_MS);
    }
}

/* 64 MiB alive. Every second as much is replaced, by blocks around 64 bytes, then 128, ... to 16 KiB, and down
 * again. */
void shifting(const rss_plan *plan)
{
    run(plan, shift);
}
