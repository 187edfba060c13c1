#include "rss/chain.h"
#include "rss/gauge.h"
#include "rss/scenarios.h"
#include "support/random.h"
#include "support/team.h"

#include <pthread.h>

/* ---- many threads that sleep --------------------------------------------------------------------- */

enum {
    IDLE_THREADS = 2000,
    BLOCK_THREADS = 4000,
    CLASSES = 20,
    BLOCKS_PER_CLASS = 4,
    BLOCK_BYTES = 1000,
};

/* 16 bytes to 16 KiB, two to an octave. */
static const size_t class_bytes[CLASSES] = {16,   24,   32,   48,   64,   96,   128,
                                            192,  256,  384,  512,  768,  1024, 1536,
                                            2048, 3072, 4096, 6144, 8192, 16384};

typedef struct crowd {
    const rss_plan *plan;
    unsigned threads;
    void (*use)(bench_block *blocks); /* what each does before it sleeps */
    pthread_barrier_t together;
} crowd;

static void use_classes(bench_block *blocks)
{
    for (unsigned class = 0; class < CLASSES; class ++) {
        for (unsigned i = 0; i < BLOCKS_PER_CLASS; i++) {
            blocks[i] = bench_block_new(class_bytes[class]);
            chain_touch(blocks[i].address, class_bytes[class]);
        }
        for (unsigned i = 0; i < BLOCKS_PER_CLASS; i++) {
            bench_block_free(&blocks[i]);
        }
    }
}

static void keep_one(bench_block *blocks)
{
    blocks[0] = bench_block_new(BLOCK_BYTES);
    gauge_live_add(BLOCK_BYTES);
}

static void sleep_in_crowd(unsigned member, void *context)
{
    crowd *self = context;
    bench_block blocks[BLOCKS_PER_CLASS] = {{0}};
    if (self->plan->allocates) {
        self->use(blocks);
    }
    pthread_barrier_wait(&self->together);
    if (member == 0) {
        gauge_point("asleep");
        gauge_idle(self->plan->idle_ms);
        gauge_point("idle");
    }
    pthread_barrier_wait(&self->together);
    bench_block_free(&blocks[0]);
}

static void run_crowd(crowd self)
{
    self.threads = (unsigned)(self.threads * self.plan->scale) + 1;
    pthread_barrier_init(&self.together, NULL, self.threads);
    bench_team_run(self.threads, sleep_in_crowd, &self);
}

/* 2,000 threads that each allocate and free four blocks of each of 20 sizes, and sleep. */
void idle_threads(const rss_plan *plan)
{
    run_crowd((crowd){.plan = plan, .threads = IDLE_THREADS, .use = use_classes});
}

/* 4,000 threads with one block of 1,000 bytes each, asleep. */
void block_threads(const rss_plan *plan)
{
    run_crowd((crowd){.plan = plan, .threads = BLOCK_THREADS, .use = keep_one});
}

/* ---- threads that come and go -------------------------------------------------------------------- */

enum {
    MEMBERS = 16,
    GENERATIONS = 400,
    LIFE_GENERATIONS = 128, /* of what a thread leaves behind */
    PARTS = 4,
    USED_BYTES = 128 << 10,
    LEFT_BYTES = 12 << 10,
    CHURN_LEAST_BYTES = 32,
    CHURN_MOST_BYTES = 4096,
};

typedef struct generation {
    unsigned number;
    chain left[LIFE_GENERATIONS][MEMBERS];
} generation;

static void live_shortly(unsigned member, void *context)
{
    generation *self = context;
    bench_random random = bench_random_seeded((uint64_t)self->number * MEMBERS + member);
    chain *left = &self->left[self->number % LIFE_GENERATIONS][member];
    chain_free(left);
    chain used = {0};
    chain_fill(&used, USED_BYTES / 2, CHURN_LEAST_BYTES, CHURN_MOST_BYTES, &random);
    chain_fill(left, LEFT_BYTES, CHURN_LEAST_BYTES, CHURN_MOST_BYTES, &random);
    chain_fill(&used, USED_BYTES, CHURN_LEAST_BYTES, CHURN_MOST_BYTES, &random);
    chain_free(&used);
}

/* 6,400 threads, 16 at a time. Each uses 128 KiB, and leaves 12 KiB behind, which a later one frees. */
void churn(const rss_plan *plan)
{
    static generation self;
    unsigned generations = (unsigned)(GENERATIONS * plan->scale) + PARTS;
    for (; self.number < generations; self.number++) {
        bench_team_run(MEMBERS, live_shortly, &self);
        if ((self.number + 1) % (generations / PARTS) == 0) {
            gauge_numbered_point("part", (self.number + 1) / (generations / PARTS));
        }
    }
    gauge_idle(plan->idle_ms);
    gauge_point("idle");
}
