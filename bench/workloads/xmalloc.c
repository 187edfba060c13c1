/*
 * xmalloc: half of the threads only allocate, the other half only frees (Lever and Boreham, "Malloc()
 * performance in a multithreaded Linux environment", 2000).
 *
 * xmalloc [threads=2] [scale=1] [batches=6000]
 *
 * Blocks travel in batches of 1,024 through one bounded queue; the batch itself is a block too. Nobody
 * holds the queue's lock while allocating or freeing. The sizes are the powers of two from 8 to 2,048
 * and the middles between them, all as likely.
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/random.h"
#include "support/result.h"
#include "support/team.h"

#include <pthread.h>

enum { BATCH_BLOCKS = 1024, QUEUE_BATCHES_AT_MOST = BENCH_TEAM_AT_MOST };

typedef struct batch {
    bench_block blocks[BATCH_BLOCKS];
} batch;

typedef struct xmalloc {
    uint64_t batches_each;
    pthread_mutex_t lock;
    pthread_cond_t room;
    pthread_cond_t filled;
    size_t capacity;                    /* constant */
    size_t first;                       /* lock */
    size_t count;                       /* lock */
    uint64_t takes_left;                /* lock */
    batch *ring[QUEUE_BATCHES_AT_MOST]; /* lock */
} xmalloc;

static void put(xmalloc *self, batch *full)
{
    pthread_mutex_lock(&self->lock);
    while (self->count == self->capacity) {
        pthread_cond_wait(&self->room, &self->lock);
    }
    self->ring[(self->first + self->count) % self->capacity] = full;
    self->count++;
    pthread_cond_signal(&self->filled);
    pthread_mutex_unlock(&self->lock);
}

/* NULL when all batches have been taken. */
static batch *take(xmalloc *self)
{
    batch *taken = NULL;
    pthread_mutex_lock(&self->lock);
    while (self->count == 0 && self->takes_left > 0) {
        pthread_cond_wait(&self->filled, &self->lock);
    }
    if (self->takes_left > 0) {
        taken = self->ring[self->first];
        self->first = (self->first + 1) % self->capacity;
        self->count--;
        self->takes_left--;
        pthread_cond_signal(&self->room);
        if (self->takes_left == 0) {
            pthread_cond_broadcast(&self->filled);
        }
    }
    pthread_mutex_unlock(&self->lock);
    return taken;
}

static size_t draw_bytes(bench_random *random)
{
    size_t step = bench_random_below(random, 17);
    return (step % 2 == 0 ? (size_t)8 : (size_t)12) << step / 2;
}

static void produce(xmalloc *self, unsigned member)
{
    bench_random random = bench_random_seeded(member);
    for (uint64_t i = 0; i < self->batches_each; i++) {
        batch *fresh = bench_keep(malloc(sizeof *fresh));
        if (fresh == NULL) {
            bench_fail("no memory for a batch");
        }
        for (size_t k = 0; k < BATCH_BLOCKS; k++) {
            fresh->blocks[k] = bench_block_new(draw_bytes(&random));
        }
        put(self, fresh);
    }
}

static void consume(xmalloc *self)
{
    batch *taken;
    while ((taken = take(self)) != NULL) {
        for (size_t k = 0; k < BATCH_BLOCKS; k++) {
            bench_block_free(&taken->blocks[k]);
        }
        free(taken);
    }
}

/* Members take turns, so that on any number of processors both kinds start at once. */
static void work(unsigned member, void *context)
{
    xmalloc *self = context;
    if (member % 2 == 0) {
        produce(self, member);
    } else {
        consume(self);
    }
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale batches");
    unsigned pairs = (unsigned)bench_argument_within(argc, argv, "threads", 2, 2, 256) / 2;
    uint64_t batches = bench_argument_scaled(
        argc, argv, bench_argument_within(argc, argv, "batches", 6000, 1, 1000000000));
    static xmalloc self = {
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .room = PTHREAD_COND_INITIALIZER,
        .filled = PTHREAD_COND_INITIALIZER,
    };
    self.batches_each = (batches + pairs - 1) / pairs;
    self.takes_left = self.batches_each * pairs;
    self.capacity = 2 * (size_t)pairs;
    uint64_t operations = self.takes_left * (BATCH_BLOCKS + 1);
    double seconds = bench_team_run(2 * pairs, work, &self);
    return bench_result(seconds, operations);
}
