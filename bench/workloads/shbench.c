/*
 * shbench: batches of mostly small blocks, some freed last-in first-out, others first-in first-out, as
 * MicroQuill's tests of SmartHeap are described.
 *
 * shbench [threads=1] [scale=1] [variant=6] [passes=5000]
 *
 * A pass fills the empty places of the thread's table with blocks of 1 to 1,000 bytes, the smaller the
 * likelier (in proportion to 1 / size). Then the upper half is freed backwards and the lower half
 * forwards, all but each eighth block, which stays for passes to come. Between them comes a free(NULL)
 * for every sixteen places.
 *
 * variant=6  a table of 2,000 places
 *        8   a table of 16,000 places and an eighth of the passes; in every pass 512 blocks go into a
 *            crate that is exchanged for another thread's, whose blocks are freed here
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/random.h"
#include "support/result.h"
#include "support/team.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { CRATE_BLOCKS = 512, LEAST_BYTES = 1, MOST_BYTES = 1000, KEPT_ONE_IN = 8, NULL_ONE_IN = 16 };

typedef struct crate {
    bench_block blocks[CRATE_BLOCKS];
} crate;

typedef struct shbench {
    bool exchanges;
    size_t places;
    uint64_t passes;
    unsigned threads;
    _Atomic(crate *)
        yard[BENCH_TEAM_AT_MOST]; /* release and acquire: the crate's content goes along */
    uint64_t allocated[BENCH_TEAM_AT_MOST]; /* written once, by the member at its end */
} shbench;

typedef struct worker {
    shbench *common;
    bench_random random;
    bench_block *table;
    uint64_t allocated;
} worker;

static void fill(worker *self)
{
    for (size_t i = 0; i < self->common->places; i++) {
        if (self->table[i].address == NULL) {
            self->table[i] =
                bench_block_new(bench_random_inverse(&self->random, LEAST_BYTES, MOST_BYTES));
            self->allocated++;
        }
        if (i % NULL_ONE_IN == 0) {
            free(bench_keep(NULL));
        }
    }
}

/* Which block stays differs from pass to pass, so that all of them are replaced in the end. */
static void empty(worker *self, uint64_t pass)
{
    size_t places = self->common->places;
    for (size_t i = places; i-- > places / 2;) {
        if ((i + pass) % KEPT_ONE_IN != 0) {
            bench_block_free(&self->table[i]);
        }
    }
    for (size_t i = 0; i < places / 2; i++) {
        if ((i + pass) % KEPT_ONE_IN != 0) {
            bench_block_free(&self->table[i]);
        }
    }
}

static void crate_free(crate *full)
{
    if (full != NULL) {
        for (size_t i = CRATE_BLOCKS; i-- > 0;) {
            bench_block_free(&full->blocks[i]);
        }
        free(full);
    }
}

static void exchange(worker *self)
{
    crate *full = bench_keep(malloc(sizeof *full));
    if (full == NULL) {
        bench_fail("no memory for a crate");
    }
    size_t first = bench_random_below(&self->random, self->common->places - CRATE_BLOCKS);
    for (size_t i = 0; i < CRATE_BLOCKS; i++) {
        full->blocks[i] = self->table[first + i];
        self->table[first + i].address = NULL;
    }
    size_t place = bench_random_below(&self->random, self->common->threads);
    crate_free(atomic_exchange_explicit(&self->common->yard[place], full, memory_order_acq_rel));
}

static void work(unsigned member, void *context)
{
    worker self = {.common = context, .random = bench_random_seeded(member)};
    self.table = bench_table_new(self.common->places);
    for (uint64_t pass = 0; pass < self.common->passes; pass++) {
        fill(&self);
        if (self.common->exchanges) {
            exchange(&self);
        }
        empty(&self, pass);
    }
    bench_table_free(self.table, self.common->places);
    self.common->allocated[member] = self.allocated;
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale variant passes");
    static shbench self;
    self.threads = (unsigned)bench_argument_within(argc, argv, "threads", 1, 1, 256);
    self.exchanges = bench_argument_within(argc, argv, "variant", 6, 6, 8) == 8;
    self.places = self.exchanges ? 16000 : 2000;
    uint64_t passes = bench_argument_scaled(
        argc, argv, bench_argument_within(argc, argv, "passes", 5000, 1, 1000000000));
    uint64_t parts = (uint64_t)self.threads * (self.exchanges ? 8 : 1);
    self.passes = (passes + parts - 1) / parts;
    double seconds = bench_team_run(self.threads, work, &self);
    uint64_t allocated = 0;
    for (unsigned i = 0; i < self.threads; i++) {
        crate_free(atomic_load_explicit(&self.yard[i], memory_order_acquire));
        allocated += self.allocated[i];
    }
    return bench_result(seconds, allocated);
}
