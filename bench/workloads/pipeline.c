/*
 * pipeline: a line of threads. The first makes messages, each one in between makes a new message from
 * each that it gets and frees the old one, the last frees.
 *
 *   threads=16 scale=1.0
 *   least= most= sizes in bytes, drawn evenly, at least 16
 *   messages=    that go through all stages, at scale 1
 */
#include "support/arguments.h"
#include "support/random.h"
#include "support/ring.h"
#include "support/team.h"

#include <string.h>

enum { RING_SLOTS = 1024 };

typedef struct workload {
    unsigned stages;
    size_t least_bytes;
    size_t most_bytes;
    uint64_t batches;
    bench_ring *rings; /* [stage] leads to the next one */
} workload;

static size_t draw_bytes(const workload *self, bench_random *random)
{
    return bench_random_between(random, self->least_bytes, self->most_bytes);
}

static void begin(const workload *self)
{
    bench_random random = bench_random_seeded(0);
    for (uint64_t number = 0; number < self->batches; number++) {
        bench_parcel *batch[BENCH_RING_BATCH];
        for (unsigned i = 0; i < BENCH_RING_BATCH; i++) {
            batch[i] = bench_parcel_new(draw_bytes(self, &random));
        }
        bench_ring_push_all(&self->rings[0], batch, BENCH_RING_BATCH);
    }
    bench_ring_close(&self->rings[0]);
}

/* The new message has as much of the old one behind its header as there is room for. */
static bench_parcel *transform(bench_parcel *old, size_t bytes)
{
    bench_parcel *new = bench_parcel_new(bytes);
    size_t shorter = bytes < old->bytes ? bytes : old->bytes;
    if (shorter > BENCH_PARCEL_BYTES + 1) {
        memcpy(new + 1, old + 1, shorter - BENCH_PARCEL_BYTES - 1);
    }
    bench_parcel_free(old);
    return new;
}

static void pass_on(const workload *self, unsigned stage)
{
    bench_random random = bench_random_seeded(stage);
    bench_parcel *batch[BENCH_RING_BATCH];
    size_t count;
    while ((count = bench_ring_pop_some(&self->rings[stage - 1], batch)) > 0) {
        for (size_t i = 0; i < count; i++) {
            batch[i] = transform(batch[i], draw_bytes(self, &random));
        }
        bench_ring_push_all(&self->rings[stage], batch, count);
    }
    bench_ring_close(&self->rings[stage]);
}

static void finish(const workload *self)
{
    bench_parcel *batch[BENCH_RING_BATCH];
    size_t count;
    uint64_t received = 0;
    while ((count = bench_ring_pop_some(&self->rings[self->stages - 2], batch)) > 0) {
        for (size_t i = 0; i < count; i++) {
            bench_parcel_free(batch[i]);
        }
        received += count;
    }
    if (received != self->batches * BENCH_RING_BATCH) {
        bench_fail("messages were lost on the way");
    }
}

static void work(unsigned stage, void *context)
{
    const workload *self = context;
    if (stage == 0) {
        begin(self);
    } else if (stage < self->stages - 1) {
        pass_on(self, stage);
    } else {
        finish(self);
    }
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale least most messages");
    workload self = {
        .stages = (unsigned)bench_argument_within(argc, argv, "threads", 16, 2, 256),
        .least_bytes = bench_argument_within(argc, argv, "least", 64, BENCH_PARCEL_BYTES, 1 << 20),
    };
    self.most_bytes =
        bench_argument_within(argc, argv, "most", self.least_bytes, self.least_bytes, 1 << 20);
    uint64_t messages =
        bench_argument_scaled(argc, argv, (uint64_t)bench_argument(argc, argv, "messages", 400000));
    self.batches = messages / BENCH_RING_BATCH + 1;
    self.rings = bench_rings_new(self.stages - 1, RING_SLOTS);
    double seconds = bench_team_run(self.stages, work, &self);
    return bench_result(seconds, self.batches * BENCH_RING_BATCH * (self.stages - 1));
}
