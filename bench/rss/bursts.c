#include "rss/chain.h"
#include "rss/gauge.h"
#include "rss/pool.h"
#include "rss/scenarios.h"
#include "support/random.h"
#include "support/team.h"

#include <pthread.h>

enum { WORKERS = 4, MIB = 1 << 20 };

/* ---- a burst, then nothing ----------------------------------------------------------------------- */

enum { BURST_MIB = 256, BURST_LEAST_BYTES = 32, BURST_MOST_BYTES = 4096 };

typedef struct burst_state {
    const rss_plan *plan;
    pthread_barrier_t together;
} burst_state;

static void conduct_burst(burst_state *self)
{
    pthread_barrier_wait(&self->together);
    gauge_point("burst");
    pthread_barrier_wait(&self->together);
    pthread_barrier_wait(&self->together);
    gauge_point("freed");
    gauge_idle(self->plan->idle_ms);
    gauge_point("idle");
    pthread_barrier_wait(&self->together);
}

static void take_part_in_burst(unsigned member, void *context)
{
    burst_state *self = context;
    if (member == WORKERS) {
        conduct_burst(self);
        return;
    }
    bench_random random = bench_random_seeded(member);
    chain held = {0};
    size_t bytes = (size_t)(BURST_MIB * self->plan->scale * MIB) / WORKERS;
    chain_fill(&held, bytes, BURST_LEAST_BYTES, BURST_MOST_BYTES, &random);
    pthread_barrier_wait(&self->together);
    pthread_barrier_wait(&self->together);
    chain_free(&held);
    pthread_barrier_wait(&self->together);
    pthread_barrier_wait(&self->together);
}

/* Four threads allocate 256 MiB of 32 to 4,096 bytes, free all of it, and sleep. */
void burst(const rss_plan *plan)
{
    burst_state self = {.plan = plan};
    pthread_barrier_init(&self.together, NULL, WORKERS + 1);
    bench_team_run(WORKERS + 1, take_part_in_burst, &self);
}

/* ---- a service with phases of load --------------------------------------------------------------- */

enum {
    CYCLE_MS = 10000,
    WAVES = 10,
    CACHE_MIB = 96,
    CACHE_LEAST_BYTES = 200,
    CACHE_MOST_BYTES = 2000,
    WAVE_MIB = 96,
    PORTION_BYTES = 1 << 20,
    REQUEST_LEAST_BYTES = 32,
    REQUEST_MOST_BYTES = 32 << 10,
};

typedef struct service_state {
    const rss_plan *plan;
    unsigned cycles;
    unsigned cycle_ms; /* half of it with load */
    pthread_barrier_t together;
    double cycle_begin_ms;
    chain handed[WORKERS]; /* what each worker allocates and its neighbour frees */
} service_state;

static size_t share_bytes(const service_state *self, unsigned mib)
{
    return (size_t)(mib * self->plan->scale * MIB) / WORKERS;
}

static void add_entry(pool *cache, bench_random *random)
{
    pool_add(cache, bench_random_between(random, CACHE_LEAST_BYTES, CACHE_MOST_BYTES));
}

/* Requests, half of them for the neighbour; as it goes on an entry of the cache in a hundred is replaced. */
static void serve_wave(service_state *self, unsigned member, pool *cache, bench_random *random)
{
    size_t bytes = share_bytes(self, WAVE_MIB) / 2;
    size_t portions = bytes / PORTION_BYTES + 1;
    size_t replaced = cache->count / 100 / portions + 1;
    chain own = {0};
    chain *given = &self->handed[member];
    for (size_t portion = 1; portion <= portions; portion++) {
        size_t until = bytes * portion / portions;
        chain_fill(&own, until, REQUEST_LEAST_BYTES, REQUEST_MOST_BYTES, random);
        chain_fill(given, until, REQUEST_LEAST_BYTES, REQUEST_MOST_BYTES, random);
        for (size_t i = 0; i < replaced; i++) {
            pool_free_any(cache, random);
            add_entry(cache, random);
        }
    }
    pthread_barrier_wait(&self->together);
    chain_free(&own);
    chain_free(&self->handed[(member + 1) % WORKERS]);
    pthread_barrier_wait(&self->together);
}

static void serve(service_state *self, unsigned member)
{
    bench_random random = bench_random_seeded(member);
    size_t cache_bytes = share_bytes(self, CACHE_MIB);
    unsigned wave_ms = self->cycle_ms / 2 / WAVES;
    pool cache = pool_new(cache_bytes / CACHE_LEAST_BYTES + 1);
    while (cache.bytes + CACHE_MOST_BYTES < cache_bytes) {
        add_entry(&cache, &random);
    }
    for (unsigned cycle = 0; cycle < self->cycles; cycle++) {
        pthread_barrier_wait(&self->together);
        for (unsigned wave = 0; wave < WAVES; wave++) {
            gauge_wait_until(self->cycle_begin_ms + wave * wave_ms);
            serve_wave(self, member, &cache, &random);
        }
        pthread_barrier_wait(&self->together);
    }
    pthread_barrier_wait(&self->together);
    pool_free(&cache);
}

/* In a quiet phase all workers wait for the conductor, who waits for the clock. */
static void conduct_service(service_state *self)
{
    for (unsigned cycle = 0; cycle < self->cycles; cycle++) {
        self->cycle_begin_ms = gauge_now_ms();
        pthread_barrier_wait(&self->together);
        for (unsigned wave = 0; wave < WAVES; wave++) {
            pthread_barrier_wait(&self->together);
            pthread_barrier_wait(&self->together);
        }
        pthread_barrier_wait(&self->together);
        gauge_idle(self->plan->idle_ms);
        gauge_numbered_point("quiet", cycle);
        gauge_wait_until(self->cycle_begin_ms + self->cycle_ms);
    }
    pthread_barrier_wait(&self->together);
}

static void take_part_in_service(unsigned member, void *context)
{
    if (member == WORKERS) {
        conduct_service(context);
    } else {
        serve(context, member);
    }
}

/* A cache of 96 MiB that stays, and every ten seconds five of load: ten waves of 96 MiB, half of which the
 * neighbouring thread frees. Then quiet until the ten seconds are over. */
void service(const rss_plan *plan)
{
    unsigned ms = plan->seconds * 1000;
    service_state self = {.plan = plan, .cycles = 1, .cycle_ms = ms};
    if (ms > CYCLE_MS) {
        self.cycles = ms / CYCLE_MS;
        self.cycle_ms = CYCLE_MS;
    }
    pthread_barrier_init(&self.together, NULL, WORKERS + 1);
    bench_team_run(WORKERS + 1, take_part_in_service, &self);
}
