/*
 * realloc_mix: every way to get and to resize a block, at the borders of classes and kinds.
 *
 * Content survives realloc, calloc is zero, alignments hold, usable sizes are usable. Blocks move
 * between threads, so that the one that resizes is often not the one that allocated.
 */
#include "support/block.h"
#include "support/memory.h"
#include "support/queue.h"
#include "support/stress.h"
#include "support/worker.h"

#include <errno.h>
#include <hepta/hepta.h>
#include <string.h>

enum { BLOCKS = 256, MARKET_CAPACITY = 256, BLOCK_LIMIT_BYTES = 6 << 20 };

typedef block maker(chance *stream, size_t bytes);

static queue *market;

static void expect_zero(const unsigned char *address, size_t bytes)
{
    uint64_t word = 0;
    for (size_t offset = 0; offset < bytes; offset += sizeof word) {
        size_t length = bytes - offset < sizeof word ? bytes - offset : sizeof word;
        memcpy(&word, address + offset, length);
        if (word != 0) {
            stress_fail("calloc of %zu bytes: the word at %zu is %#llx", bytes, offset,
                        (unsigned long long)word);
        }
    }
}

static block by_calloc(chance *stream, size_t bytes)
{
    size_t count = 1 + (size_t)chance_below(stream, 8);
    size_t each_bytes = (bytes + count - 1) / count;
    unsigned char *address = hepta_calloc(count, each_bytes);
    if (address != NULL) {
        expect_zero(address, count * each_bytes);
    }
    return block_adopt(stream, address, count * each_bytes, 16);
}

/* 16 bytes to 64 KiB, now and then 2 MiB. */
static size_t alignment_bytes(chance *stream)
{
    return chance_one_in(stream, 64) ? (size_t)2 << 20 : (size_t)16 << chance_below(stream, 13);
}

static block by_posix_memalign(chance *stream, size_t bytes)
{
    size_t alignment = alignment_bytes(stream);
    void *address = NULL;
    int error = hepta_posix_memalign(&address, alignment, bytes);
    if (error != 0) {
        stress_fail("posix_memalign of %zu bytes to %zu: %s", bytes, alignment, strerror(error));
    }
    return block_adopt(stream, address, bytes, alignment);
}

static block by_aligned_alloc(chance *stream, size_t bytes)
{
    size_t alignment = alignment_bytes(stream);
    size_t multiple_bytes = (bytes + alignment - 1) / alignment * alignment;
    return block_adopt(stream, hepta_aligned_alloc(alignment, multiple_bytes), multiple_bytes,
                       alignment);
}

static block by_memalign(chance *stream, size_t bytes)
{
    size_t alignment = alignment_bytes(stream);
    return block_adopt(stream, hepta_memalign(alignment, bytes), bytes, alignment);
}

static block by_realloc_of_null(chance *stream, size_t bytes)
{
    return block_adopt(stream, hepta_realloc(NULL, bytes), bytes, 16);
}

static block by_malloc_of_zero(chance *stream, size_t bytes)
{
    (void)bytes;
    return block_adopt(stream, hepta_malloc(0), 0, 16);
}

static block new_block(chance *stream)
{
    static maker *const makers[] = {
        block_make,  block_make,        by_calloc,         by_calloc,          by_aligned_alloc,
        by_memalign, by_posix_memalign, by_malloc_of_zero, by_realloc_of_null,
    };
    maker *make = makers[chance_below(stream, sizeof makers / sizeof makers[0])];
    return make(stream, chance_size_bytes(stream, BLOCK_LIMIT_BYTES));
}

/* Half of the time a size near the old one: in place, or across one border. */
static size_t new_size_bytes(chance *stream, size_t old_bytes)
{
    if (chance_one_in(stream, 2)) {
        return chance_size_bytes(stream, BLOCK_LIMIT_BYTES);
    }
    size_t range_bytes = 1 + old_bytes / 2;
    size_t bytes = old_bytes - old_bytes / 4 + (size_t)chance_below(stream, range_bytes);
    return bytes == 0 ? 1 : bytes;
}

static block resized(chance *stream, const block *old)
{
    size_t bytes = new_size_bytes(stream, old->bytes);
    void *address;
    block_check(old, "before realloc");
    if (chance_one_in(stream, 4)) {
        bytes = (bytes + 7) / 8 * 8;
        address = hepta_reallocarray(old->address, bytes / 8, 8);
    } else {
        address = hepta_realloc(old->address, bytes);
    }
    if (address != NULL) {
        block_check_moved(old, address, bytes, "after realloc");
    }
    return block_adopt(stream, address, bytes, 16);
}

static void freed(chance *stream, const block *old)
{
    if (!chance_one_in(stream, 8)) {
        block_free(old, "free");
        return;
    }
    block_check(old, "before realloc to zero");
    if (hepta_realloc(old->address, 0) != NULL) {
        stress_fail("realloc(%p, 0) is not NULL", (void *)old->address);
    }
}

/* The size for free_sized is the last one asked for, not the first and not the usable one. */
static void sized_round(chance *stream)
{
    size_t first_bytes = chance_size_bytes(stream, BLOCK_LIMIT_BYTES);
    size_t last_bytes = new_size_bytes(stream, first_bytes);
    block old = block_adopt(stream, hepta_malloc(first_bytes), first_bytes, 16);
    void *address = hepta_realloc(old.address, last_bytes);
    if (address == NULL) {
        stress_fail("realloc from %zu to %zu bytes", first_bytes, last_bytes);
    }
    block_check_moved(&old, address, last_bytes, "after realloc");
    hepta_free_sized(address, last_bytes);
}

/* A request that cannot be met leaves the block alone. */
static void refused(const block *old)
{
    errno = 0;
    if (hepta_realloc(old->address, SIZE_MAX / 2 + 2) != NULL || errno != ENOMEM) {
        stress_fail("realloc to more than PTRDIFF_MAX did not fail with ENOMEM");
    }
    errno = 0;
    if (hepta_reallocarray(old->address, SIZE_MAX / 2, 3) != NULL || errno != ENOMEM) {
        stress_fail("reallocarray with an overflow did not fail with ENOMEM");
    }
    errno = 0;
    if (hepta_calloc(SIZE_MAX / 2, 3) != NULL || errno != ENOMEM) {
        stress_fail("calloc with an overflow did not fail with ENOMEM");
    }
    block_check(old, "after a refused realloc");
}

static void exchange(block *mine)
{
    block others;
    if (queue_take(market, &others)) {
        if (!queue_put(market, mine)) {
            block_free(mine, "the market is full");
        }
        *mine = others;
    } else if (queue_put(market, mine)) {
        mine->address = NULL;
    }
}

static void turn(chance *stream, block *one)
{
    uint64_t kind = chance_below(stream, 64);
    if (one->address == NULL) {
        *one = new_block(stream);
    } else if (kind < 30) {
        *one = resized(stream, one);
    } else if (kind < 44) {
        freed(stream, one);
        one->address = NULL;
    } else if (kind < 62) {
        exchange(one);
    } else if (kind == 62) {
        refused(one);
        sized_round(stream);
    } else if (chance_one_in(stream, 32)) {
        hepta_malloc_trim((size_t)chance_below(stream, STRESS_MIB));
    }
}

static void mix(worker *self)
{
    block *blocks = memory_map(BLOCKS * sizeof(block));
    while (stress_open_now()) {
        turn(&self->stream, &blocks[chance_below(&self->stream, BLOCKS)]);
        worker_step(self);
    }
    for (size_t index = 0; index < BLOCKS; index++) {
        if (blocks[index].address != NULL) {
            block_free(&blocks[index], "the end");
        }
    }
    memory_unmap(blocks, BLOCKS * sizeof(block));
}

int main(int argc, char **argv)
{
    stress_start(argc, argv, (stress_options){.name = "realloc_mix", .seconds = 5, .threads = 4});
    market = queue_new(MARKET_CAPACITY);
    stress_run_team("mixer", mix);
    queue_free_all(market);
    return stress_finish();
}
