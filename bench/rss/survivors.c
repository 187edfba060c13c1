#include "rss/chain.h"
#include "rss/gauge.h"
#include "rss/scenarios.h"
#include "support/random.h"
#include "support/team.h"

#include <pthread.h>
#include <stdbool.h>

enum { OBJECTS = 1000000, TOLD_OBJECTS = 1000 };

typedef struct survivors {
    const rss_plan *plan;
    size_t bytes;
    size_t one_in; /* that many stays */
    pthread_barrier_t over;
} survivors;

static void scatter(survivors *self)
{
    size_t count = (size_t)(OBJECTS * self->plan->scale);
    bench_random random = bench_random_seeded(self->bytes);
    chain staying = {0};
    chain going = {0};
    for (size_t i = 0; i < count; i++) {
        bool stays = bench_random_below(&random, self->one_in) == 0;
        chain_add(stays ? &staying : &going, self->bytes);
        if (i % TOLD_OBJECTS == 0) {
            gauge_live_add(TOLD_OBJECTS * self->bytes);
        }
    }
    gauge_point("all");
    chain_free(&going);
    gauge_point("freed");
    gauge_idle(self->plan->idle_ms);
    gauge_point("idle");
    chain_free(&staying);
}

static void take_part(unsigned member, void *context)
{
    survivors *self = context;
    if (member == 0) {
        scatter(self);
    }
    pthread_barrier_wait(&self->over);
}

/* Two threads, one of which waits: a process with several threads, as most are. */
static void run(survivors self)
{
    pthread_barrier_init(&self.over, NULL, 2);
    bench_team_run(2, take_part, &self);
}

/* A million objects of 200 bytes, one in 20 of which stays: here and there. */
void survivors_200(const rss_plan *plan)
{
    run((survivors){.plan = plan, .bytes = 200, .one_in = 20});
}

void survivors_64(const rss_plan *plan)
{
    run((survivors){.plan = plan, .bytes = 64, .one_in = 100});
}
