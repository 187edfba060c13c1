/*
 * mstress: a server's mix of bursts, long lives and blocks that wander from thread to thread, in phases
 * after which all threads are made anew. It is what mimalloc's own stress test says of itself.
 *
 * mstress [threads=2] [scale=1] [phases=20] [blocks=1600000]
 *
 * A worker allocates bursts of 1 to 100 blocks: most of 16 to 512 bytes, in powers of two, one in a
 * hundred up to 16 KiB, one in a thousand up to 256 KiB. Of a burst an eighth is kept until the worker
 * ends, a quarter is exchanged for what lies in a shared table, the rest is freed at once. Some workers
 * have eight times as much to do as others. What lies in the table outlives the phase. Every byte of
 * every block is written, and every word is compared before the block is freed; a quarter of the blocks
 * come from calloc and are compared with zero. The time has the creation and the end of the threads in
 * it.
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/random.h"
#include "support/result.h"
#include "support/team.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { SHARED_PLACES = 1024, BURST_BLOCKS_AT_MOST = 100, UNEQUAL_SHARES = 8 };

/* Where a block is known by its address alone, its size is in its first word. */
typedef uint64_t word;

typedef struct mstress {
    unsigned threads;
    uint64_t phase;
    uint64_t blocks_a_share;
    _Atomic(word *) shared[SHARED_PLACES]; /* release and acquire: the block's content goes along */
} mstress;

typedef struct worker {
    mstress *common;
    bench_random random;
    word **kept;
    size_t kept_count;
    size_t kept_room;
} worker;

static size_t draw_words(bench_random *random)
{
    size_t chance = bench_random_below(random, 1000);
    if (chance == 0) {
        return bench_random_between(random, 2048, 32768);
    }
    if (chance <= 10) {
        return bench_random_between(random, 64, 2048);
    }
    return (size_t)2 << bench_random_below(random, 6);
}

static word content(const word *block, size_t index)
{
    return (word)(uintptr_t)block ^ index * UINT64_C(0x9e3779b97f4a7c15);
}

static word *block_new(bench_random *random)
{
    size_t words = draw_words(random);
    bool zeroed = bench_random_below(random, 4) == 0;
    word *block = bench_keep(zeroed ? calloc(words, sizeof *block) : malloc(words * sizeof *block));
    if (block == NULL) {
        bench_fail("an allocation returned NULL");
    }
    for (size_t i = 1; i < words; i++) {
        if (zeroed && block[i] != 0) {
            bench_fail("calloc returned something else than zeros");
        }
        block[i] = content(block, i);
    }
    block[0] = words;
    return block;
}

static void block_free(word *block)
{
    if (block == NULL) {
        return;
    }
    size_t words = block[0];
    for (size_t i = 1; i < words; i++) {
        if (block[i] != content(block, i)) {
            bench_fail("the content of a block has changed");
        }
    }
    free(block);
}

static void keep(worker *self, word *block)
{
    if (self->kept_count == self->kept_room) {
        self->kept_room = 2 * self->kept_room + 16;
        self->kept = bench_keep(realloc(self->kept, self->kept_room * sizeof *self->kept));
        if (self->kept == NULL) {
            bench_fail("realloc returned NULL");
        }
    }
    self->kept[self->kept_count++] = block;
}

static word *exchange(worker *self, word *block)
{
    size_t place = bench_random_below(&self->random, SHARED_PLACES);
    return atomic_exchange_explicit(&self->common->shared[place], block, memory_order_acq_rel);
}

static void burst(worker *self, size_t blocks)
{
    word *fresh[BURST_BLOCKS_AT_MOST];
    for (size_t i = 0; i < blocks; i++) {
        fresh[i] = block_new(&self->random);
    }
    for (size_t i = 0; i < blocks; i++) {
        size_t chance = bench_random_below(&self->random, 8);
        if (chance == 0) {
            keep(self, fresh[i]);
        } else {
            block_free(chance <= 2 ? exchange(self, fresh[i]) : fresh[i]);
        }
    }
}

static uint64_t blocks_of(const mstress *self, unsigned member)
{
    return self->blocks_a_share * (member % UNEQUAL_SHARES + 1);
}

static void work(unsigned member, void *context)
{
    worker self = {.common = context};
    self.random = bench_random_seeded(self.common->phase * BENCH_TEAM_AT_MOST + member);
    uint64_t left = blocks_of(self.common, member);
    while (left > 0) {
        size_t blocks = bench_random_between(&self.random, 1, BURST_BLOCKS_AT_MOST);
        blocks = blocks > left ? left : blocks;
        burst(&self, blocks);
        left -= blocks;
    }
    for (size_t i = 0; i < self.kept_count; i++) {
        block_free(self.kept[i]);
    }
    free(self.kept);
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale phases blocks");
    static mstress self;
    self.threads = (unsigned)bench_argument_within(argc, argv, "threads", 2, 1, 256);
    uint64_t phases = bench_argument_within(argc, argv, "phases", 20, 1, 1000000);
    uint64_t blocks = bench_argument_scaled(
        argc, argv, bench_argument_within(argc, argv, "blocks", 1600000, 1, 1000000000));
    uint64_t shares = 0;
    for (unsigned i = 0; i < self.threads; i++) {
        shares += i % UNEQUAL_SHARES + 1;
    }
    self.blocks_a_share = blocks / phases / shares;
    self.blocks_a_share += self.blocks_a_share == 0;
    double begin = bench_now();
    for (; self.phase < phases; self.phase++) {
        bench_team_run(self.threads, work, &self);
    }
    double seconds = bench_now() - begin;
    for (size_t i = 0; i < SHARED_PLACES; i++) {
        block_free(atomic_load_explicit(&self.shared[i], memory_order_acquire));
    }
    return bench_result(seconds, phases * shares * self.blocks_a_share);
}
