/*
 * rptest: blocks of mixed lives and three distributions of sizes, a part of them freed by another
 * thread. It is what the benchmark of rpmalloc says of itself.
 *
 * rptest [threads=2] [scale=1] [cross=10] [sizes=exponential] [least=16] [most=8000] [blocks=5000]
 *        [loops=10000]
 *
 * Each thread has a table of `blocks` places. In every loop it frees a tenth of them, scattered over
 * the table, then allocates as many, scattered too, after it has freed what was there. In `cross`
 * percent of the loops it allocates a tenth more and hands them, as a parcel, to the next thread, which
 * frees them after its own loop. At most 16 parcels are on the way to a thread: a thread with one more
 * frees what has come to itself until there is room.
 *
 * sizes=even         all sizes are as likely
 *       linear       the likelihood falls along a line to nothing at the largest
 *       exponential  it halves from each eighth of the range to the next
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/random.h"
#include "support/result.h"
#include "support/team.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { PARCELS_AT_MOST = 16 };

/* In the order of the argument's choices. */
typedef enum distribution { EVEN, LINEAR, EXPONENTIAL } distribution;

/* A row of `blocks_a_loop` blocks on their way to another thread. The row is allocated too. */
typedef bench_block parcel;

/* What the thread before sends. Only that one fills an empty place, and only the owner empties a full
 * one, each in turn. */
typedef struct inbox {
    _Alignas(64) _Atomic(parcel *) places[PARCELS_AT_MOST]; /* release by who changes it */
    _Atomic(bool) finished;                                 /* release by the thread before */
    sem_t event; /* something came, or the thread behind has made room, or `finished` was set */
} inbox;

typedef struct rptest {
    unsigned threads;
    distribution sizes;
    size_t least_bytes;
    size_t most_bytes;
    size_t blocks;
    size_t blocks_a_loop;
    size_t cross_percent;
    uint64_t loops;
    inbox inboxes[BENCH_TEAM_AT_MOST];
    uint64_t allocated[BENCH_TEAM_AT_MOST]; /* written once, by the member at its end */
} rptest;

typedef struct worker {
    rptest *common;
    inbox *before; /* of the thread that sends to this one */
    inbox *own;
    inbox *behind; /* of the thread that this one sends to */
    uint64_t sent;
    uint64_t received;
    bench_random random;
    bench_block *table;
    uint64_t allocated;
} worker;

static size_t draw_bytes(worker *self)
{
    const rptest *common = self->common;
    size_t range = common->most_bytes - common->least_bytes + 1;
    size_t one = bench_random_below(&self->random, range);
    if (common->sizes == LINEAR) {
        size_t other = bench_random_below(&self->random, range);
        one = one < other ? one : other;
    } else if (common->sizes == EXPONENTIAL) {
        unsigned eighth = (unsigned)__builtin_ctzll(bench_random_next(&self->random) | 1 << 7);
        one = (range * eighth + one) / 8;
    }
    return common->least_bytes + one;
}

static bench_block *scattered(worker *self)
{
    return &self->table[bench_random_below(&self->random, self->common->blocks)];
}

static bench_block block_new(worker *self)
{
    self->allocated++;
    return bench_block_new(draw_bytes(self));
}

static parcel *parcel_new(worker *self)
{
    size_t count = self->common->blocks_a_loop;
    parcel *full = bench_keep(malloc(count * sizeof *full));
    if (full == NULL) {
        bench_fail("no memory for a parcel");
    }
    for (size_t i = 0; i < count; i++) {
        full[i] = block_new(self);
    }
    return full;
}

/* False when nothing has come. */
static bool receive(worker *self)
{
    _Atomic(parcel *) *place = &self->own->places[self->received % PARCELS_AT_MOST];
    parcel *full = atomic_load_explicit(place, memory_order_acquire);
    if (full == NULL) {
        return false;
    }
    self->received++;
    atomic_store_explicit(place, NULL, memory_order_release);
    sem_post(&self->before->event);
    for (size_t i = 0; i < self->common->blocks_a_loop; i++) {
        bench_block_free(&full[i]);
    }
    free(full);
    return true;
}

static void send(worker *self)
{
    parcel *full = parcel_new(self);
    _Atomic(parcel *) *place = &self->behind->places[self->sent % PARCELS_AT_MOST];
    while (atomic_load_explicit(place, memory_order_acquire) != NULL) {
        if (!receive(self)) {
            bench_wait(&self->own->event);
        }
    }
    self->sent++;
    atomic_store_explicit(place, full, memory_order_release);
    sem_post(&self->behind->event);
}

/* `finished` is read first: what was sent before it was set is then seen. */
static void receive_the_last(worker *self)
{
    for (;;) {
        bool last = atomic_load_explicit(&self->own->finished, memory_order_acquire);
        if (!receive(self)) {
            if (last) {
                return;
            }
            bench_wait(&self->own->event);
        }
    }
}

static void loop(worker *self)
{
    for (size_t i = 0; i < self->common->blocks_a_loop; i++) {
        bench_block_free(scattered(self));
    }
    for (size_t i = 0; i < self->common->blocks_a_loop; i++) {
        bench_block *place = scattered(self);
        bench_block_free(place);
        *place = block_new(self);
    }
    if (bench_random_below(&self->random, 100) < self->common->cross_percent) {
        send(self);
    }
    while (receive(self)) {
    }
}

static void work(unsigned member, void *context)
{
    rptest *common = context;
    worker self = {.common = common, .random = bench_random_seeded(member)};
    self.before = &common->inboxes[(member + common->threads - 1) % common->threads];
    self.own = &common->inboxes[member];
    self.behind = &common->inboxes[(member + 1) % common->threads];
    self.table = bench_table_new(common->blocks);
    for (uint64_t i = 0; i < common->loops; i++) {
        loop(&self);
    }
    bench_table_free(self.table, common->blocks);
    atomic_store_explicit(&self.behind->finished, true, memory_order_release);
    sem_post(&self.behind->event);
    receive_the_last(&self);
    common->allocated[member] = self.allocated;
}

static void configure(rptest *self, int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale cross sizes least most blocks loops");
    self->threads = (unsigned)bench_argument_within(argc, argv, "threads", 2, 1, 256);
    self->cross_percent = bench_argument_within(argc, argv, "cross", 10, 0, 100);
    self->sizes = (distribution)bench_argument_choice(argc, argv, "sizes", "exponential",
                                                      "even linear exponential");
    self->least_bytes = bench_argument_within(argc, argv, "least", 16, 1, 1 << 24);
    self->most_bytes = bench_argument_within(argc, argv, "most", 8000, self->least_bytes, 1 << 24);
    self->blocks = bench_argument_within(argc, argv, "blocks", 5000, 10, 10000000);
    self->blocks_a_loop = self->blocks / 10;
    uint64_t loops = bench_argument_scaled(
        argc, argv, bench_argument_within(argc, argv, "loops", 10000, 1, 1000000000));
    self->loops = (loops + self->threads - 1) / self->threads;
}

int main(int argc, char **argv)
{
    static rptest self;
    configure(&self, argc, argv);
    for (unsigned i = 0; i < self.threads; i++) {
        sem_init(&self.inboxes[i].event, 0, 0);
    }
    double seconds = bench_team_run(self.threads, work, &self);
    uint64_t allocated = 0;
    for (unsigned i = 0; i < self.threads; i++) {
        sem_destroy(&self.inboxes[i].event);
        allocated += self.allocated[i];
    }
    return bench_result(seconds, allocated);
}
