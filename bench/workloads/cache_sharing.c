/*
 * cache_sharing: whether an allocator makes threads share cache lines that they need not share; Hoard's
 * tests of active and passive false sharing (Berger, McKinley, Blumofe and Wilson, "Hoard: a scalable
 * memory allocator for multithreaded applications", 2000).
 *
 * cache_sharing [threads=2] [scale=1] [mode=thrash] [bytes=8] [writes=100] [blocks=2000000]
 *
 * Each thread allocates a small block, writes every byte of it `writes` times, frees it, and begins
 * again.
 *
 * mode=thrash   the blocks of different threads may come to lie in one line: active false sharing
 *      scratch  the first blocks were allocated in a row by one thread; each thread begins by freeing
 *               one of them, and an allocator that gives it back to that thread keeps the lines shared:
 *               passive false sharing
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/result.h"
#include "support/team.h"

#include <string.h>

typedef struct cache_sharing {
    size_t bytes;
    size_t writes;
    uint64_t blocks;                       /* of one thread */
    bench_block first[BENCH_TEAM_AT_MOST]; /* empty when there is nothing to free */
} cache_sharing;

/* Volatile: every write is wanted. */
static void write_all(const bench_block *block, size_t writes)
{
    volatile unsigned char *bytes = block->address;
    for (size_t i = 0; i < writes; i++) {
        for (size_t k = 0; k < block->bytes; k++) {
            bytes[k] = (unsigned char)(bytes[k] + 1);
        }
    }
}

/* Takes the writes back, so that the marks are there again unless somebody else wrote there. */
static void unwrite(const bench_block *block, size_t writes)
{
    for (size_t k = 0; k < block->bytes; k++) {
        block->address[k] = (unsigned char)(block->address[k] - writes);
    }
}

static void work(unsigned member, void *context)
{
    cache_sharing *self = context;
    bench_block_free(&self->first[member]);
    for (uint64_t i = 0; i < self->blocks; i++) {
        bench_block block = bench_block_new(self->bytes);
        memset(block.address, bench_block_mark(&block), block.bytes);
        write_all(&block, self->writes);
        unwrite(&block, self->writes);
        bench_block_free(&block);
    }
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale mode bytes writes blocks");
    static cache_sharing self;
    unsigned threads = (unsigned)bench_argument_within(argc, argv, "threads", 2, 1, 256);
    self.bytes = bench_argument_within(argc, argv, "bytes", 8, 1, 1 << 20);
    self.writes = bench_argument_within(argc, argv, "writes", 100, 1, 1000000000);
    uint64_t blocks = bench_argument_scaled(
        argc, argv, bench_argument_within(argc, argv, "blocks", 2000000, 1, 1000000000));
    self.blocks = (blocks + threads - 1) / threads;
    if (bench_argument_choice(argc, argv, "mode", "thrash", "thrash scratch") == 1) {
        for (unsigned i = 0; i < threads; i++) {
            self.first[i] = bench_block_new(self.bytes);
        }
    }
    double seconds = bench_team_run(threads, work, &self);
    return bench_result(seconds, threads * self.blocks);
}
