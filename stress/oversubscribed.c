/*
 * oversubscribed: many more threads than processors, and some are stopped in the middle of
 * malloc or free for as long as it takes the others to show that they do not wait for them.
 *
 * Each round picks some threads. They begin to call malloc and free without pause, until a signal
 * stops them wherever they are: its handler blocks. Then every other thread has to finish a fixed
 * number of operations, on blocks of all kinds that also come from the stopped threads. Only then
 * do the stopped threads go on. An allocator in which anyone waits for anyone is ended by the
 * watchdog.
 */
#include "support/block.h"
#include "support/queue.h"
#include "support/stress.h"
#include "support/worker.h"

#include <errno.h>
#include <hepta/hepta.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCKS = 32,
    MARKET_CAPACITY = 1024,
    BLOCK_LIMIT_BYTES = 128 << 10,
    OPERATIONS_A_ROUND = 50
};

static queue *market;
static _Thread_local volatile sig_atomic_t caught; /* by the signal */
static _Atomic bool wanted[WORKERS_AT_MOST];       /* by worker: to be stopped in this round */
static _Atomic unsigned round_now;
static int gate[2];      /* a pipe: one byte lets one thread go on */
static sem_t exposed;    /* by a thread that does nothing but malloc and free */
static sem_t stopped;    /* by a thread in its handler */
static sem_t resumed;    /* by a thread that went through the gate */
static sem_t round_done; /* by a thread that did its operations */

/* Blocks in read(), one of the calls that a handler may make. */
static void stop_here(int number)
{
    int saved_errno = errno;
    char byte;
    (void)number;
    caught = 1;
    sem_post(&stopped);
    while (read(gate[0], &byte, 1) != 1) {
    }
    sem_post(&resumed);
    errno = saved_errno;
}

/* Calls of the allocator and next to nothing else, until the signal comes. They begin with blocks
 * of other threads, and every other request is above what thread caches hold. */
static void wait_for_signal(chance *stream)
{
    void *held[BLOCKS] = {0};
    block others;
    for (unsigned index = 0; index < BLOCKS && queue_take(market, &others); index++) {
        block_check(&others, "before a thread is stopped");
        held[index] = others.address;
    }
    caught = 0;
    sem_post(&exposed);
    while (!caught) {
        void **one = &held[chance_below(stream, BLOCKS)];
        size_t bytes = 1 + (size_t)chance_below(stream, chance_one_in(stream, 2) ? 1024 : 65536);
        hepta_free(*one);
        *one = hepta_malloc(bytes);
    }
    for (unsigned index = 0; index < BLOCKS; index++) {
        hepta_free(held[index]);
    }
}

static void replace(chance *stream, block *one)
{
    if (one->address == NULL) {
        *one = block_make(stream, chance_size_bytes(stream, BLOCK_LIMIT_BYTES));
    } else {
        block_free(one, "free");
        one->address = NULL;
    }
}

/* Most frees are of other threads' blocks, so that owners have something to collect. */
static void exchange(block *mine)
{
    block others;
    if (mine->address != NULL && queue_put(market, mine)) {
        mine->address = NULL;
        if (queue_take(market, &others)) {
            *mine = others;
        }
    }
}

static void work(worker *self)
{
    block blocks[BLOCKS] = {0};
    unsigned round = 0;
    unsigned left = 0;
    while (stress_open_now()) {
        block *one = &blocks[chance_below(&self->stream, BLOCKS)];
        exchange(one);
        replace(&self->stream, one);
        worker_step(self);
        /* relaxed: neither the round nor the wish carries data */
        unsigned now = atomic_load_explicit(&round_now, memory_order_relaxed);
        if (now != round) {
            round = now;
            left = OPERATIONS_A_ROUND;
        } else if (left > 0 && --left == 0) {
            sem_post(&round_done);
        } else if (left == 0) {
            sched_yield(); /* to those who have not done their share of the round */
        }
        if (atomic_load_explicit(&wanted[self->index], memory_order_relaxed)) { /* relaxed: above */
            wait_for_signal(&self->stream);
        }
    }
    for (unsigned index = 0; index < BLOCKS; index++) {
        if (blocks[index].address != NULL) {
            block_free(&blocks[index], "the end");
        }
    }
}

static void wait_for(sem_t *semaphore, unsigned posts)
{
    while (posts > 0) {
        if (sem_wait(semaphore) == 0) {
            posts--;
        } else if (errno != EINTR) {
            stress_fail("sem_wait: %s", strerror(errno));
        }
    }
}

static void want(const worker *victim, bool value)
{
    atomic_store_explicit(&wanted[victim->index], value,
                          memory_order_relaxed); /* relaxed: work() */
}

/* All at once: a signal only arrives when its thread gets a processor, and they are many. */
static void stop(worker *const *victims, unsigned count)
{
    for (unsigned index = 0; index < count; index++) {
        want(victims[index], true);
    }
    wait_for(&exposed, count);
    for (unsigned index = 0; index < count; index++) {
        want(victims[index], false);
        worker_rest(victims[index], true);
        int error = pthread_kill(victims[index]->thread, SIGUSR1);
        if (error != 0) {
            stress_fail("pthread_kill: %s", strerror(error));
        }
    }
    wait_for(&stopped, count);
}

static void release(worker *const *victims, unsigned count)
{
    for (unsigned index = 0; index < count; index++) {
        worker_rest(victims[index], false);
        if (write(gate[1], "", 1) != 1) {
            stress_fail("the gate's pipe: %s", strerror(errno));
        }
    }
    wait_for(&resumed, count);
}

/* The first `count` of a shuffled team are stopped; all others must do the round without them,
 * then they must do it too. */
static void stop_some(worker **team, unsigned members, unsigned count, chance *stream)
{
    for (unsigned index = 0; index < count; index++) {
        unsigned other = index + (unsigned)chance_below(stream, members - index);
        worker *victim = team[other];
        team[other] = team[index];
        team[index] = victim;
    }
    stop(team, count);
    atomic_fetch_add_explicit(&round_now, 1, memory_order_relaxed); /* relaxed: carries no data */
    wait_for(&round_done, members - count);
    release(team, count);
    wait_for(&round_done, count);
}

static void prepare(void)
{
    struct sigaction action = {.sa_handler = stop_here, .sa_flags = SA_RESTART};
    if (pipe(gate) != 0 || sigaction(SIGUSR1, &action, NULL) != 0) {
        stress_fail("a pipe and a signal: %s", strerror(errno));
    }
    sem_init(&exposed, 0, 0);
    sem_init(&stopped, 0, 0);
    sem_init(&resumed, 0, 0);
    sem_init(&round_done, 0, 0);
    market = queue_new(MARKET_CAPACITY);
}

int main(int argc, char **argv)
{
    worker *team[WORKERS_AT_MOST];
    stress_options options = stress_start(
        argc, argv, (stress_options){.name = "oversubscribed", .seconds = 5, .threads = 64});
    chance stream = chance_stream(options.seed, UINT64_MAX - 1);
    if (options.threads < 2) {
        stress_fail("one thread has nobody to stop");
    }
    prepare();
    stress_open();
    for (unsigned index = 0; index < options.threads; index++) {
        team[index] = worker_start("worker", index, work, NULL);
    }
    double end_seconds = stress_now_seconds() + options.seconds;
    unsigned count = options.threads / 2;
    uint64_t stops = 0;
    do {
        stop_some(team, options.threads, count, &stream);
        stops += count;
        /* any number: all but one, too; one alone in a quarter of the rounds */
        count = 1 + (unsigned)chance_below(&stream, options.threads - 1);
        count = chance_one_in(&stream, 4) ? 1 : count;
    } while (stress_now_seconds() < end_seconds);
    stress_close();
    for (unsigned index = 0; index < options.threads; index++) {
        worker_join(team[index]);
    }
    queue_free_all(market);
    stress_note("stops", stops);
    return stress_finish();
}
