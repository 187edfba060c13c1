/*
 * sleeper: a thread allocates much, another thread frees it all, the first one sleeps for ever.
 *
 * What a sleeping thread's owner got back must serve others: the second thread allocates the same
 * amount again and the process must not grow by it. Each round adds a sleeper and takes another
 * size. threads= sleepers at once, live_mib= bytes of one round.
 */
#include "support/block.h"
#include "support/memory.h"
#include "support/stress.h"
#include "support/worker.h"

#include <pthread.h>

enum { SLACK_BYTES = 16 * STRESS_MIB };

/* One sleeper's blocks and where it sleeps. */
typedef struct bed {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool made;    /* under mutex: the blocks are there, the sleeper sleeps */
    bool wake_up; /* under mutex */
    block *blocks;
    size_t count;
    size_t bytes;
} bed;

static bed beds[WORKERS_AT_MOST];

static void allocate(worker *self, const bed *mine)
{
    for (size_t index = 0; index < mine->count; index++) {
        mine->blocks[index] = block_make(&self->stream, mine->bytes);
        worker_step(self);
    }
}

static void allocate_and_sleep(worker *self)
{
    bed *mine = self->context;
    allocate(self, mine);
    worker_rest(self, true);
    pthread_mutex_lock(&mine->mutex);
    mine->made = true;
    pthread_cond_broadcast(&mine->changed);
    while (!mine->wake_up) {
        pthread_cond_wait(&mine->changed, &mine->mutex);
    }
    pthread_mutex_unlock(&mine->mutex);
    worker_rest(self, false);
}

static void free_blocks(worker *self, const bed *other)
{
    for (size_t index = 0; index < other->count; index++) {
        block_free(&other->blocks[index], "another thread");
        worker_step(self);
    }
}

/* Frees the sleeper's blocks, allocates as much again, frees that too. */
static void take_over(worker *self)
{
    bed *other = self->context;
    free_blocks(self, other);
    allocate(self, other);
    size_t live_bytes = other->count * other->bytes;
    size_t table_bytes = other->count * sizeof(block);
    stress_expect_resident_below(live_bytes + live_bytes / 2 + table_bytes + SLACK_BYTES,
                                 "a sleeper's memory is allocated again");
    free_blocks(self, other);
}

static void wait_until_made(bed *one)
{
    pthread_mutex_lock(&one->mutex);
    while (!one->made) {
        pthread_cond_wait(&one->changed, &one->mutex);
    }
    pthread_mutex_unlock(&one->mutex);
}

static worker *put_to_bed(bed *one, unsigned index, size_t live_bytes, chance *stream)
{
    static const size_t sizes_bytes[] = {1024, 64, 592, 4096, 16384, 65536, 200000};
    pthread_mutex_init(&one->mutex, NULL);
    pthread_cond_init(&one->changed, NULL);
    one->made = false;
    one->wake_up = false;
    one->bytes = sizes_bytes[chance_below(stream, sizeof sizes_bytes / sizeof sizes_bytes[0])];
    one->count = 1 + live_bytes / one->bytes;
    one->blocks = memory_map(one->count * sizeof(block));
    worker *sleeper = worker_start("sleeper", index, allocate_and_sleep, one);
    wait_until_made(one);
    return sleeper;
}

static void wake(bed *one, worker *sleeper)
{
    pthread_mutex_lock(&one->mutex);
    one->wake_up = true;
    pthread_cond_broadcast(&one->changed);
    pthread_mutex_unlock(&one->mutex);
    worker_join(sleeper);
    pthread_cond_destroy(&one->changed);
    pthread_mutex_destroy(&one->mutex);
}

int main(int argc, char **argv)
{
    worker *sleepers[WORKERS_AT_MOST];
    stress_options options = stress_start(
        argc, argv,
        (stress_options){.name = "sleeper", .seconds = 5, .threads = 16, .live_mib = 96});
    double end_seconds = stress_now_seconds() + options.seconds;
    chance stream = chance_stream(options.seed, UINT64_MAX - 1);
    do {
        unsigned asleep = 0;
        do {
            bed *one = &beds[asleep];
            sleepers[asleep] = put_to_bed(one, asleep, options.live_mib * STRESS_MIB, &stream);
            asleep++;
            worker_join(worker_start("successor", asleep, take_over, one));
            memory_unmap(one->blocks, one->count * sizeof(block));
        } while (asleep < options.threads && stress_now_seconds() < end_seconds);
        while (asleep > 0) {
            asleep--;
            wake(&beds[asleep], sleepers[asleep]);
        }
    } while (stress_now_seconds() < end_seconds);
    return stress_finish();
}
