#include "worker.h"

#include "stress.h"

#include <string.h>
#include <sys/prctl.h>

static worker workers[WORKERS_AT_MOST];
static uint64_t run_seed;
static uint64_t workers_started;   /* main thread only */
static uint64_t operations_joined; /* main thread only */

void worker_seed(uint64_t seed)
{
    run_seed = seed;
}

static int state_of(worker *self)
{
    return atomic_load_explicit(&self->state, memory_order_relaxed); /* relaxed: guards no data */
}

static void set_state(worker *self, worker_state state)
{
    atomic_store_explicit(&self->state, (int)state, memory_order_relaxed); /* relaxed: as above */
}

static void *run_body(void *argument)
{
    worker *self = argument;
    prctl(PR_SET_NAME, self->role);
    self->body(self);
    return NULL;
}

static worker *absent_worker(void)
{
    for (unsigned place = 0; place < WORKERS_AT_MOST; place++) {
        if (state_of(&workers[place]) == WORKER_ABSENT) {
            return &workers[place];
        }
    }
    stress_fail("more than %d workers at once", WORKERS_AT_MOST);
}

worker *worker_start(const char *role, unsigned index, worker_body *body, void *context)
{
    worker *self = absent_worker();
    self->role = role;
    self->index = index;
    self->context = context;
    self->stream = chance_stream(run_seed, workers_started++);
    self->body = body;
    atomic_store_explicit(&self->operations, 0, memory_order_relaxed); /* relaxed: not started */
    set_state(self, WORKER_BUSY);
    int error = pthread_create(&self->thread, NULL, run_body, self);
    if (error != 0) {
        stress_fail("pthread_create for %s %u: %s", role, index, strerror(error));
    }
    return self;
}

void worker_join(worker *self)
{
    int error = pthread_join(self->thread, NULL);
    if (error != 0) {
        stress_fail("pthread_join of %s %u: %s", self->role, self->index, strerror(error));
    }
    operations_joined +=
        atomic_load_explicit(&self->operations, memory_order_relaxed); /* relaxed: joined */
    set_state(self, WORKER_ABSENT);
}

uint64_t worker_operations_of_all(void)
{
    uint64_t sum = operations_joined;
    for (unsigned place = 0; place < WORKERS_AT_MOST; place++) {
        if (state_of(&workers[place]) != WORKER_ABSENT) {
            sum += atomic_load_explicit(&workers[place].operations,
                                        memory_order_relaxed); /* relaxed: a sum for people */
        }
    }
    return sum;
}

worker *worker_at(unsigned place)
{
    return state_of(&workers[place]) == WORKER_ABSENT ? NULL : &workers[place];
}

void worker_rest(worker *self, bool resting)
{
    set_state(self, resting ? WORKER_RESTING : WORKER_BUSY);
}
