/*
 * pipeline: messages are allocated by producers and freed by consumers, in every shape.
 *
 * Shapes: one_to_one, many_to_one, one_to_many, many_to_many, and circle, in which every thread
 * passes messages on to the next and a message is freed after a few hops. Every message's content
 * is checked where it arrives. Resident memory stays below twice what full queues hold plus 64 MiB:
 * no free may be lost. threads= is the number of threads on a side that says "many".
 */
#include "support/block.h"
#include "support/queue.h"
#include "support/stress.h"
#include "support/worker.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum {
    SIDE_AT_MOST = WORKERS_AT_MOST / 2,
    QUEUE_CAPACITY = 1024,
    MESSAGE_LIMIT_BYTES = 256 << 10,
    MEAN_BYTES = 16 << 10, /* more than the mean of chance_size_bytes below the limit */
    SLACK_BYTES = 64 * STRESS_MIB,
};

typedef struct shape {
    const char *name;
    bool many_producers;
    bool many_consumers;
    bool circle;
} shape;

static const shape shapes[] = {
    {"one_to_one", false, false, false}, {"many_to_one", true, false, false},
    {"one_to_many", false, true, false}, {"many_to_many", true, true, false},
    {"circle", true, true, true},
};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static queue *queues[SIDE_AT_MOST]; /* one per consumer */
static unsigned consumers;
static _Atomic unsigned producers_left;
static _Atomic uint64_t bytes_sent;
static _Atomic uint64_t bytes_received;

static void add(_Atomic uint64_t *sum, uint64_t bytes)
{
    atomic_fetch_add_explicit(sum, bytes, memory_order_relaxed); /* relaxed: read after the joins */
}

static void produce(worker *self)
{
    uint64_t sent = 0;
    while (stress_open_now()) {
        block message =
            block_make(&self->stream, chance_size_bytes(&self->stream, MESSAGE_LIMIT_BYTES));
        sent += message.bytes;
        queue_put_waiting(queues[chance_below(&self->stream, consumers)], &message);
        worker_step(self);
    }
    add(&bytes_sent, sent);
    /* release: pairs with consume, which must not find its queue empty before the last message */
    atomic_fetch_sub_explicit(&producers_left, 1, memory_order_release);
}

static void consume(worker *self)
{
    block message;
    uint64_t received = 0;
    for (;;) {
        /* acquire: pairs with produce; read before the queue is looked at */
        bool last_look = atomic_load_explicit(&producers_left, memory_order_acquire) == 0;
        if (queue_take(queues[self->index], &message)) {
            received += message.bytes;
            block_free(&message, "a consumer");
            worker_step(self);
        } else if (last_look) {
            break;
        } else {
            sched_yield();
        }
    }
    add(&bytes_received, received);
}

static void send_on(worker *self, const block *message, uint64_t *sent)
{
    sent[0] += message->bytes;
    /* A full neighbour ends the journey: waiting here could close a circle of waiting threads. */
    if (!queue_put(queues[(self->index + 1) % consumers], message)) {
        sent[0] -= message->bytes;
        block_free(message, "a full neighbour");
    }
}

/* Allocates a message of its own in three of eight turns and passes on seven of eight others. */
static void circulate(worker *self)
{
    block message;
    uint64_t sent = 0;
    uint64_t received = 0;
    while (stress_open_now()) {
        if (chance_below(&self->stream, 8) < 3) {
            message =
                block_make(&self->stream, chance_size_bytes(&self->stream, MESSAGE_LIMIT_BYTES));
            send_on(self, &message, &sent);
        } else if (queue_take(queues[self->index], &message)) {
            received += message.bytes;
            if (chance_one_in(&self->stream, 8)) {
                block_free(&message, "the end of the journey");
            } else {
                block_check(&message, "a hop");
                send_on(self, &message, &sent);
            }
        }
        worker_step(self);
    }
    add(&bytes_sent, sent);
    add(&bytes_received, received);
}

/* What is left in a circle when it stops counts as received here. */
static void empty_queues(void)
{
    block message;
    for (unsigned index = 0; index < consumers; index++) {
        while (queue_take(queues[index], &message)) {
            add(&bytes_received, message.bytes);
            block_free(&message, "after the circle");
        }
        queue_delete(queues[index]);
    }
}

static void run(const shape *one, unsigned many, double seconds)
{
    worker *team[2 * SIDE_AT_MOST];
    unsigned members = 0;
    unsigned producers = one->many_producers ? many : 1;
    consumers = one->many_consumers ? many : 1;
    /* relaxed: no worker has started */
    atomic_store_explicit(&producers_left, producers, memory_order_relaxed);
    stress_open();
    for (unsigned index = 0; index < consumers; index++) {
        queues[index] = queue_new(QUEUE_CAPACITY);
    }
    for (unsigned index = 0; index < consumers; index++) {
        worker_body *body = one->circle ? circulate : consume;
        team[members++] = worker_start(one->circle ? "circulator" : "consumer", index, body, NULL);
    }
    for (unsigned index = 0; !one->circle && index < producers; index++) {
        team[members++] = worker_start("producer", index, produce, NULL);
    }
    stress_pass(seconds);
    stress_expect_resident_below((size_t)consumers * QUEUE_CAPACITY * MEAN_BYTES * 2 + SLACK_BYTES,
                                 one->name);
    stress_close();
    while (members > 0) {
        worker_join(team[--members]);
    }
    empty_queues();
    uint64_t sent = atomic_load_explicit(&bytes_sent, memory_order_relaxed); /* relaxed: joined */
    uint64_t received = atomic_load_explicit(&bytes_received, memory_order_relaxed); /* relaxed */
    if (sent != received) {
        stress_fail("%s: %llu bytes sent, %llu received", one->name, (unsigned long long)sent,
                    (unsigned long long)received);
    }
}

int main(int argc, char **argv)
{
    stress_options options =
        stress_start(argc, argv, (stress_options){.name = "pipeline", .seconds = 5, .threads = 4});
    unsigned chosen = 0;
    for (unsigned index = 0; index < SHAPES; index++) {
        chosen += options.shape == NULL || strcmp(options.shape, shapes[index].name) == 0;
    }
    if (chosen == 0) {
        stress_fail("no shape is named %s", options.shape);
    }
    for (unsigned index = 0; index < SHAPES; index++) {
        if (options.shape == NULL || strcmp(options.shape, shapes[index].name) == 0) {
            run(&shapes[index], options.threads, options.seconds / chosen);
        }
    }
    return stress_finish();
}
