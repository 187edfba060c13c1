/*
 * many_threads: very many threads that are alive all the time, each with a little of everything:
 * replacement of small blocks, calloc, realloc, now and then a large block, and blocks handed to other
 * threads.
 *
 *   threads=1000 scale=1.0
 *   live=64      blocks that each thread holds
 */
#include "support/arguments.h"
#include "support/pages.h"
#include "support/parcel.h"
#include "support/random.h"
#include "support/team.h"

#include <pthread.h>
#include <stdatomic.h>

enum { OPERATIONS = 5000000, LEAST_BYTES = 16, MOST_BYTES = 4096, LARGE_MOST_BYTES = 65536 };

typedef struct workload {
    unsigned threads;
    size_t live;
    uint64_t operations; /* per thread */
    /* One parcel under way to each thread. The exchange is acquire and release: a parcel's content is
     * seen by who takes it. */
    _Atomic(bench_parcel *) *mailboxes;
    pthread_barrier_t end;
} workload;

static size_t draw_bytes(bench_random *random)
{
    return bench_random_below(random, 128) == 0
               ? bench_random_between(random, MOST_BYTES, LARGE_MOST_BYTES)
               : bench_random_inverse_square(random, LEAST_BYTES, MOST_BYTES);
}

static bench_parcel *new_zeroed(size_t bytes)
{
    unsigned char *address = bench_keep(calloc(1, bytes));
    if (address != NULL &&
        (address[0] != 0 || address[bytes / 2] != 0 || address[bytes - 1] != 0)) {
        bench_fail("calloc returned memory that is not zero");
    }
    return bench_parcel_adopt(address, bytes);
}

/* The header moves along, so the parcel is checked as what it was before it is sealed anew. */
static bench_parcel *resize(bench_parcel *old, size_t bytes)
{
    bench_parcel_check(old);
    bench_parcel before = *old;
    bench_parcel *new = bench_keep(realloc(old, bytes));
    if (new != NULL && (new->bytes != before.bytes || new->seal != before.seal)) {
        bench_fail("realloc lost the content of a block");
    }
    return bench_parcel_adopt(new, bytes);
}

/* Puts a parcel into somebody's mailbox; returns what lay there. */
static bench_parcel *post(const workload *self, bench_random *random, bench_parcel *parcel)
{
    return atomic_exchange_explicit(&self->mailboxes[bench_random_below(random, self->threads)],
                                    parcel, memory_order_acq_rel);
}

static void work_on(const workload *self, bench_random *random, bench_parcel **place)
{
    switch (bench_random_below(random, 8)) {
    case 0:
        bench_parcel_free(*place);
        *place = new_zeroed(draw_bytes(random));
        break;
    case 1:
        *place = *place == NULL ? bench_parcel_new(draw_bytes(random))
                                : resize(*place, draw_bytes(random));
        break;
    case 2:
        *place = post(self, random, *place);
        break;
    default:
        bench_parcel_free(*place);
        *place = bench_parcel_new(draw_bytes(random));
        break;
    }
}

static void work(unsigned member, void *context)
{
    workload *self = context;
    bench_random random = bench_random_seeded(member);
    bench_parcel **parcels = bench_pages(self->live * sizeof *parcels);
    for (uint64_t i = 0; i < self->operations; i++) {
        work_on(self, &random, &parcels[bench_random_below(&random, self->live)]);
    }
    for (size_t i = 0; i < self->live; i++) {
        bench_parcel_free(parcels[i]);
    }
    bench_pages_free(parcels, self->live * sizeof *parcels);
    pthread_barrier_wait(&self->end);
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale live");
    workload self = {
        .threads =
            (unsigned)bench_argument_within(argc, argv, "threads", 1000, 1, BENCH_TEAM_AT_MOST),
        .live = bench_argument_within(argc, argv, "live", 64, 1, 1 << 20),
    };
    self.operations = bench_argument_scaled(argc, argv, OPERATIONS) / self.threads + 1;
    self.mailboxes = bench_pages(self.threads * sizeof *self.mailboxes);
    pthread_barrier_init(&self.end, NULL, self.threads);
    double seconds = bench_team_run(self.threads, work, &self);
    for (unsigned i = 0; i < self.threads; i++) {
        bench_parcel_free(atomic_load_explicit(&self.mailboxes[i], memory_order_acquire));
    }
    pthread_barrier_destroy(&self.end);
    return bench_result(seconds, self.operations * self.threads);
}
