/*
 * free_only: producers keep a fixed live set of 592-byte blocks and replace them one by one; all
 * replaced blocks go to one thread that never allocates, only frees.
 *
 * What that thread frees must come back to the producers: resident memory stays below twice the
 * live set plus 64 MiB for the whole run. threads= producers, live_mib= live set of all of them.
 */
#include "support/block.h"
#include "support/memory.h"
#include "support/queue.h"
#include "support/stress.h"
#include "support/worker.h"

#include <sched.h>
#include <stdatomic.h>

enum {
    BLOCK_BYTES = 592,
    QUEUE_CAPACITY = 512,
    SLACK_BYTES = 64 * STRESS_MIB,
    LOOKS = 32,
    TAKEN_IN_A_ROW = 64,
};

static queue *queues[WORKERS_AT_MOST]; /* one per producer */
static unsigned producers;
static size_t blocks_per_producer;
static _Atomic unsigned producers_left;

static void produce(worker *self)
{
    block *live = memory_map(blocks_per_producer * sizeof(block));
    for (size_t index = 0; index < blocks_per_producer; index++) {
        live[index] = block_make(&self->stream, BLOCK_BYTES);
        worker_step(self);
    }
    while (stress_open_now()) {
        block *replaced = &live[chance_below(&self->stream, blocks_per_producer)];
        queue_put_waiting(queues[self->index], replaced);
        *replaced = block_make(&self->stream, BLOCK_BYTES);
        worker_step(self);
    }
    for (size_t index = 0; index < blocks_per_producer; index++) {
        queue_put_waiting(queues[self->index], &live[index]);
        worker_step(self);
    }
    memory_unmap(live, blocks_per_producer * sizeof(block));
    /* release: pairs with free_all, which must not stop before the last block */
    atomic_fetch_sub_explicit(&producers_left, 1, memory_order_release);
}

static void free_all(worker *self)
{
    block item;
    bool last_look = false;
    bool found = true;
    while (found || !last_look) {
        /* acquire: pairs with produce; read before the queues are looked at */
        last_look = atomic_load_explicit(&producers_left, memory_order_acquire) == 0;
        found = false;
        for (unsigned index = 0; index < producers; index++) {
            for (unsigned taken = 0; taken < TAKEN_IN_A_ROW; taken++) {
                if (!queue_take(queues[index], &item)) {
                    break;
                }
                block_free(&item, "the free-only thread");
                found = true;
                worker_step(self);
            }
        }
        if (!found) {
            sched_yield();
        }
    }
}

int main(int argc, char **argv)
{
    worker *team[WORKERS_AT_MOST];
    stress_options options = stress_start(
        argc, argv,
        (stress_options){.name = "free_only", .seconds = 5, .threads = 16, .live_mib = 96});
    size_t live_bytes = options.live_mib * STRESS_MIB;
    producers = options.threads;
    blocks_per_producer = 1 + live_bytes / BLOCK_BYTES / producers;
    atomic_init(&producers_left, producers);
    for (unsigned index = 0; index < producers; index++) {
        queues[index] = queue_new(QUEUE_CAPACITY);
    }
    stress_open();
    for (unsigned index = 0; index < producers; index++) {
        team[index] = worker_start("producer", index, produce, NULL);
    }
    team[producers] = worker_start("free-only", 0, free_all, NULL);
    for (unsigned looks = 0; looks < LOOKS; looks++) {
        stress_pass(options.seconds / LOOKS);
        stress_expect_resident_below(2 * live_bytes + SLACK_BYTES, "while blocks are replaced");
    }
    stress_close();
    for (unsigned index = 0; index <= producers; index++) {
        worker_join(team[index]);
    }
    stress_expect_resident_below(2 * live_bytes + SLACK_BYTES, "at the end");
    return stress_finish();
}
