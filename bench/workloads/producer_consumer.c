/*
 * producer_consumer: some threads allocate messages, others free them, and nobody does both.
 *
 *   producers=1 consumers=1 scale=1.0
 *   least= most= sizes in bytes, drawn evenly, at least 16
 *   messages=    in all, at scale 1
 *   slots=1024   of each ring, a power of two: how far a producer can be ahead of a consumer
 *
 * A producer deals its batches to the consumers in turn, each pair over a ring of its own.
 */
#include "support/arguments.h"
#include "support/random.h"
#include "support/ring.h"
#include "support/team.h"

typedef struct workload {
    unsigned producers;
    unsigned consumers;
    size_t least_bytes;
    size_t most_bytes;
    uint64_t batches;  /* per producer */
    bench_ring *rings; /* [producer * consumers + consumer] */
} workload;

static void produce(const workload *self, unsigned producer)
{
    bench_random random = bench_random_seeded(producer);
    bench_ring *rings = &self->rings[(size_t)producer * self->consumers];
    for (uint64_t number = 0; number < self->batches; number++) {
        bench_parcel *batch[BENCH_RING_BATCH];
        for (unsigned i = 0; i < BENCH_RING_BATCH; i++) {
            batch[i] = bench_parcel_new(
                bench_random_between(&random, self->least_bytes, self->most_bytes));
        }
        bench_ring_push_all(&rings[(producer + number) % self->consumers], batch, BENCH_RING_BATCH);
    }
    for (unsigned consumer = 0; consumer < self->consumers; consumer++) {
        bench_ring_close(&rings[consumer]);
    }
}

/* The parcels that came from one producer; UINT64_MAX when none will come any more. */
static uint64_t consume_from(bench_ring *ring)
{
    bench_parcel *batch[BENCH_RING_BATCH];
    bool is_closed = bench_ring_is_closed(ring);
    size_t count = bench_ring_pop(ring, batch);
    for (size_t i = 0; i < count; i++) {
        bench_parcel_free(batch[i]);
    }
    return count == 0 && is_closed ? UINT64_MAX : count;
}

static void consume(const workload *self, unsigned consumer)
{
    unsigned tries = 0;
    for (unsigned open = self->producers; open > 0;) {
        uint64_t received = 0;
        open = 0;
        for (unsigned producer = 0; producer < self->producers; producer++) {
            uint64_t count =
                consume_from(&self->rings[(size_t)producer * self->consumers + consumer]);
            received += count == UINT64_MAX ? 0 : count;
            open += count == UINT64_MAX ? 0 : 1;
        }
        tries = received > 0 ? 0 : tries + 1;
        if (tries > 0) {
            bench_ring_wait(tries);
        }
    }
}

static void work(unsigned member, void *context)
{
    const workload *self = context;
    if (member < self->producers) {
        produce(self, member);
    } else {
        consume(self, member - self->producers);
    }
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "producers consumers scale least most messages slots");
    workload self = {
        .producers = (unsigned)bench_argument_within(argc, argv, "producers", 1, 1, 64),
        .consumers = (unsigned)bench_argument_within(argc, argv, "consumers", 1, 1, 64),
        .least_bytes = bench_argument_within(argc, argv, "least", 64, BENCH_PARCEL_BYTES, 1 << 20),
    };
    self.most_bytes =
        bench_argument_within(argc, argv, "most", self.least_bytes, self.least_bytes, 1 << 20);
    uint64_t messages = bench_argument_scaled(
        argc, argv, (uint64_t)bench_argument(argc, argv, "messages", 5000000));
    self.batches = messages / self.producers / BENCH_RING_BATCH + 1;
    size_t slots = bench_argument_within(argc, argv, "slots", 1024, BENCH_RING_BATCH, 1 << 20);
    if ((slots & (slots - 1)) != 0) {
        bench_fail("slots is no power of two");
    }
    self.rings = bench_rings_new((size_t)self.producers * self.consumers, slots);
    double seconds = bench_team_run(self.producers + self.consumers, work, &self);
    return bench_result(seconds, self.batches * self.producers * BENCH_RING_BATCH);
}
