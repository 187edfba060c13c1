#include "rss/chain.h"
#include "rss/gauge.h"
#include "rss/pool.h"
#include "rss/scenarios.h"
#include "support/random.h"
#include "support/ring.h"
#include "support/team.h"

#include <pthread.h>

/* ---- one allocates, another frees, the first sleeps ---------------------------------------------- */

enum { BLOCKS = 1000000, BLOCK_BYTES = 1024 };

typedef struct sleep_state {
    const rss_plan *plan;
    pthread_barrier_t together;
    chain handed;
} sleep_state;

static void allocate_and_sleep(sleep_state *self)
{
    bench_random random = bench_random_seeded(1);
    size_t blocks = (size_t)(BLOCKS * self->plan->scale);
    chain_fill(&self->handed, blocks * BLOCK_BYTES, BLOCK_BYTES, BLOCK_BYTES, &random);
    pthread_barrier_wait(&self->together);
    pthread_barrier_wait(&self->together);
}

static void take_part_in_sleep(unsigned member, void *context)
{
    sleep_state *self = context;
    if (member == 0) {
        allocate_and_sleep(self);
        return;
    }
    pthread_barrier_wait(&self->together);
    gauge_point("all");
    chain_free(&self->handed);
    gauge_point("freed");
    gauge_idle(self->plan->idle_ms);
    gauge_point("idle");
    pthread_barrier_wait(&self->together);
}

/* A allocates a million blocks of 1 KiB and never calls again; B frees them. */
void sleeper(const rss_plan *plan)
{
    sleep_state self = {.plan = plan};
    pthread_barrier_init(&self.together, NULL, 2);
    bench_team_run(2, take_part_in_sleep, &self);
}

/* ---- a thread that only frees -------------------------------------------------------------------- */

enum {
    PRODUCERS = 4,
    PARCEL_BYTES = 592,
    LIVE_BYTES = 96 << 20,
    REPLACED = 400000, /* by each producer */
    RING_SLOTS = 1024,
};

typedef struct free_state {
    const rss_plan *plan;
    bench_ring *rings;
    pthread_barrier_t together;
} free_state;

static void produce(free_state *self, unsigned member)
{
    bench_ring *ring = &self->rings[member];
    bench_random random = bench_random_seeded(member);
    size_t live = (size_t)(LIVE_BYTES * self->plan->scale) / PRODUCERS / PARCEL_BYTES;
    size_t replaced = (size_t)(REPLACED * self->plan->scale) / BENCH_RING_BATCH;
    pool held = pool_new(live + BENCH_RING_BATCH);
    while (held.count < live) {
        pool_add(&held, PARCEL_BYTES);
    }
    for (size_t i = 0; i < replaced; i++) {
        bench_parcel *batch[BENCH_RING_BATCH];
        for (size_t j = 0; j < BENCH_RING_BATCH; j++) {
            pool_add(&held, PARCEL_BYTES);
            batch[j] = pool_take_any(&held, &random);
        }
        bench_ring_push_all(ring, batch, BENCH_RING_BATCH);
    }
    bench_ring_close(ring);
    pthread_barrier_wait(&self->together);
    pthread_barrier_wait(&self->together);
    pool_free(&held);
}

/* Returns whether the ring may still bring something. */
static bool consume_some(bench_ring *ring)
{
    bool was_closed = bench_ring_is_closed(ring);
    bench_parcel *batch[BENCH_RING_BATCH];
    size_t count = bench_ring_pop(ring, batch);
    for (size_t i = 0; i < count; i++) {
        bench_parcel_free(batch[i]);
    }
    gauge_live_take(count * PARCEL_BYTES);
    return count > 0 || !was_closed;
}

static void consume(free_state *self)
{
    unsigned open = PRODUCERS;
    for (unsigned tries = 0; open > 0; tries++) {
        open = 0;
        for (unsigned i = 0; i < PRODUCERS; i++) {
            open += consume_some(&self->rings[i]);
        }
        bench_ring_wait(tries);
    }
    pthread_barrier_wait(&self->together);
    gauge_point("replaced");
    gauge_idle(self->plan->idle_ms);
    gauge_point("idle");
    pthread_barrier_wait(&self->together);
}

static void take_part_in_freeing(unsigned member, void *context)
{
    if (member == PRODUCERS) {
        consume(context);
    } else {
        produce(context, member);
    }
}

/* Four threads keep 96 MiB of 592-byte blocks; what they replace is freed by a fifth one, which never calls
 * malloc. */
void free_only(const rss_plan *plan)
{
    free_state self = {.plan = plan, .rings = bench_rings_new(PRODUCERS, RING_SLOTS)};
    pthread_barrier_init(&self.together, NULL, PRODUCERS + 1);
    bench_team_run(PRODUCERS + 1, take_part_in_freeing, &self);
}
