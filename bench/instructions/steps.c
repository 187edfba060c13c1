/*
 * The paths step by step. Whoever counts sees the functions counted_...: they hold nothing but the calls
 * and their loops.
 */
#include "instructions/paths.h"
#include "support/block.h"
#include "support/random.h"
#include "support/result.h"
#include "support/team.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>

#define COUNTED __attribute__((noinline))

enum { FEW = 4, ALIGNED_BYTES = 200, REALLOC_FIRST_BYTES = 16 };

static void *blocks[BATCH];
static size_t sizes[BATCH];
static unsigned order[BATCH];

static void *there(void *address)
{
    address = bench_keep(address);
    if (address == NULL) {
        bench_fail("an allocation returned NULL");
    }
    return address;
}

static COUNTED void counted_mallocs(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        blocks[i] = malloc(sizes[i]);
    }
}

static COUNTED void counted_frees(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        free(blocks[order[i]]);
    }
}

static COUNTED void counted_pairs(size_t bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        free(there(malloc(bytes)));
    }
}

static void other_mallocs(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        blocks[i] = there(malloc(sizes[i]));
    }
}

static void other_frees(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        free(blocks[order[i]]);
    }
}

static void in_order(size_t bytes)
{
    for (unsigned i = 0; i < BATCH; i++) {
        sizes[i] = bytes;
        order[i] = i;
    }
}

static void shuffle(size_t least, size_t most, unsigned count)
{
    bench_random random = bench_random_seeded(1);
    for (unsigned i = 0; i < count; i++) {
        sizes[i] = bench_random_between(&random, least, most);
        unsigned other = (unsigned)bench_random_below(&random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
}

void pairs(const path *self, unsigned long rounds)
{
    for (; rounds > 0; rounds--) {
        counted_pairs(self->bytes, self->operations);
    }
}

void malloc_fast(const path *self, unsigned long rounds)
{
    in_order(self->bytes);
    for (rounds *= self->operations / FEW; rounds > 0; rounds--) {
        counted_mallocs(FEW);
        other_frees(FEW);
    }
}

void free_fast(const path *self, unsigned long rounds)
{
    in_order(self->bytes);
    for (rounds *= self->operations / FEW; rounds > 0; rounds--) {
        other_mallocs(FEW);
        counted_frees(FEW);
    }
}

void malloc_row(const path *self, unsigned long rounds)
{
    in_order(self->bytes);
    for (; rounds > 0; rounds--) {
        counted_mallocs(self->operations);
        other_frees(self->operations);
    }
}

void free_row(const path *self, unsigned long rounds)
{
    in_order(self->bytes);
    for (; rounds > 0; rounds--) {
        other_mallocs(self->operations);
        counted_frees(self->operations);
    }
}

static void batch(size_t least, size_t most, unsigned count, unsigned long rounds)
{
    shuffle(least, most, count);
    for (; rounds > 0; rounds--) {
        counted_mallocs(count);
        counted_frees(count);
    }
}

void batch_small(const path *self, unsigned long rounds)
{
    batch(16, 1024, self->operations, rounds);
}

void batch_medium(const path *self, unsigned long rounds)
{
    batch(1025, 32 << 10, self->operations, rounds);
}

void batch_large(const path *self, unsigned long rounds)
{
    batch((32 << 10) + 1, 1 << 20, self->operations, rounds);
}

static COUNTED void counted_frees_of_null(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        free(bench_keep(NULL));
    }
}

void free_null(const path *self, unsigned long rounds)
{
    for (; rounds > 0; rounds--) {
        counted_frees_of_null(self->operations);
    }
}

static COUNTED void counted_callocs(size_t bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        free(there(calloc(1, bytes)));
    }
}

void calloc_pairs(const path *self, unsigned long rounds)
{
    for (; rounds > 0; rounds--) {
        counted_callocs(self->bytes, self->operations);
    }
}

static COUNTED void counted_aligned(size_t alignment, size_t bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        void *block = NULL;
        if (posix_memalign(&block, alignment, bytes) != 0) {
            bench_fail("posix_memalign failed");
        }
        free(bench_keep(block));
    }
}

void aligned_pairs(const path *self, unsigned long rounds)
{
    size_t bytes = self->bytes > ALIGNED_BYTES ? self->bytes : ALIGNED_BYTES;
    for (; rounds > 0; rounds--) {
        counted_aligned(self->bytes, bytes, self->operations);
    }
}

static COUNTED void counted_reallocs_up(unsigned count)
{
    void *block = NULL;
    for (unsigned i = 1; i <= count; i++) {
        block = there(realloc(block, i));
    }
    free(block);
}

void realloc_up(const path *self, unsigned long rounds)
{
    for (; rounds > 0; rounds--) {
        counted_reallocs_up(self->operations);
    }
}

/* One growth from REALLOC_FIRST_BYTES to most_bytes after the other, until `count` reallocs are done. */
static COUNTED void counted_doublings(size_t most_bytes, unsigned count)
{
    void *block = NULL;
    size_t bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        if (bytes == most_bytes) {
            free(block);
            block = NULL;
        }
        bytes = block == NULL ? REALLOC_FIRST_BYTES : 2 * bytes;
        block = there(realloc(block, bytes));
    }
    free(block);
}

void realloc_double(const path *self, unsigned long rounds)
{
    for (; rounds > 0; rounds--) {
        counted_doublings(self->bytes, self->operations);
    }
}

/* ---- two threads: one allocates, the other one frees in the same order --------------------------------- */

typedef struct exchange {
    unsigned operations;
    unsigned long rounds;
    void (*mallocs)(unsigned count);
    void (*frees)(unsigned count);
    sem_t full;
    sem_t empty;
} exchange;

static void *consume(void *context)
{
    exchange *self = context;
    for (unsigned long round = 0; round < self->rounds; round++) {
        bench_wait(&self->full);
        self->frees(self->operations);
        sem_post(&self->empty);
    }
    return NULL;
}

static void hand_over(const path *handed, unsigned long rounds, void (*mallocs)(unsigned),
                      void (*frees)(unsigned))
{
    exchange self = {
        .operations = handed->operations, .rounds = rounds, .mallocs = mallocs, .frees = frees};
    pthread_t consumer;
    in_order(handed->bytes);
    sem_init(&self.full, 0, 0);
    sem_init(&self.empty, 0, 0);
    if (pthread_create(&consumer, NULL, consume, &self) != 0) {
        bench_fail("no more threads");
    }
    for (unsigned long round = 0; round < rounds; round++) {
        self.mallocs(self.operations);
        sem_post(&self.full);
        bench_wait(&self.empty);
    }
    pthread_join(consumer, NULL);
}

void remote(const path *self, unsigned long rounds)
{
    hand_over(self, rounds, counted_mallocs, counted_frees);
}

void malloc_drain(const path *self, unsigned long rounds)
{
    hand_over(self, rounds, counted_mallocs, other_frees);
}

void free_remote(const path *self, unsigned long rounds)
{
    hand_over(self, rounds, other_mallocs, counted_frees);
}
