/* producer: allocates and fills messages. */

#include "clock.h"
#include "pipeline.h"

/* Makes `count` messages and hands them to the next consumer in turn. */
static void produce_batch(producer *self, size_t count)
{
    message *batch[QUEUE_BATCH];
    for (size_t i = 0; i < count; i++) {
        batch[i] = message_make(self->worker, self->next_id++);
        message_use_scratch(self->worker, batch[i]);
    }
    queue_push(&pipeline.consumers[self->next_queue].source, batch, count);
    self->next_queue = (self->next_queue + 1) % pipeline.options.consumers;
}

static void produce_until_stopped(producer *self)
{
    /* relaxed: only says that it is time to end; the gate orders the rest */
    while (!atomic_load_explicit(&pipeline.stop_producing, memory_order_relaxed)) {
        produce_batch(self, QUEUE_BATCH);
    }
}

/* Its own record grows by what it makes: the consumers count what they free in theirs. */
static uint64_t made_bytes(producer *self)
{
    return workers_live_bytes(self->worker, 1);
}

/* Makes its share of the backlog: after each slice of time, as many bytes as are due by then. */
static void produce_burst(producer *self, uint64_t duration_ms)
{
    uint64_t share_bytes = (pipeline.options.burst_mib << 20) / pipeline.options.producers;
    uint64_t base_bytes = made_bytes(self);
    uint64_t begin_ns = clock_now_ns();
    worker_reseed(self->worker, pipeline.options.seed, GROUP_MAX_THREADS + self->number);
    for (uint64_t at_ms = 0; at_ms < duration_ms;) {
        at_ms = at_ms + PACE_SLICE_MS < duration_ms ? at_ms + PACE_SLICE_MS : duration_ms;
        clock_wait_until_ns(begin_ns + at_ms * NS_PER_MS);
        uint64_t due_bytes = share_bytes * at_ms / duration_ms;
        while (made_bytes(self) - base_bytes < due_bytes) {
            produce_batch(self, QUEUE_BATCH / 4);
        }
    }
}

void *producer_run(void *argument)
{
    producer *self = argument;
    worker_reseed(self->worker, pipeline.options.seed, self->number);
    for (int number = 0; number < PHASES; number++) {
        const phase *now = &pipeline.phases[number];
        gate_enter(&pipeline.gate, number);
        if (now->kind == STEADY) {
            produce_until_stopped(self);
        } else if (now->kind == BURST) {
            produce_burst(self, now->duration_ms);
        }
        gate_leave(&pipeline.gate, GATE_PRODUCERS);
    }
    return NULL;
}
