/*
 * shifting: the sizes that the workers use move on, and blocks of the old ones stay among the new ones.
 *
 * So slabs become sparse, and what is free of them serves larger classes while blocks of the old ones come back, from
 * the worker itself, from another one, and from one that has the worker's owner. Content, usable sizes and alignments are
 * checked throughout. threads= workers, live_mib= bytes alive of all of them.
 */
#include "support/block.h"
#include "support/memory.h"
#include "support/queue.h"
#include "support/stress.h"
#include "support/worker.h"

#include <hepta/hepta.h>

enum {
    LEAST_BYTES = 32,
    TURN = 8, /* sizes around 48 bytes to 12 KiB and down again */
    MARKET_CAPACITY = 1024,
    MOST_BLOCKS = 1 << 20, /* of one worker */
};

typedef struct heap {
    block *blocks;
    size_t count;
    size_t bytes;
    unsigned phase;
} heap;

static queue *market;
static size_t limit_bytes; /* constant while workers run */

static size_t draw_bytes(chance *stream, unsigned phase)
{
    unsigned place = phase % (2 * TURN);
    size_t least_bytes = (size_t)LEAST_BYTES << (place <= TURN ? place : 2 * TURN - place);
    return least_bytes + (size_t)chance_below(stream, least_bytes);
}

static block new_block(chance *stream, size_t bytes)
{
    if (!chance_one_in(stream, 16)) {
        return block_make(stream, bytes);
    }
    size_t alignment_bytes = (size_t)16 << chance_below(stream, 6);
    return block_adopt(stream, hepta_memalign(alignment_bytes, bytes), bytes, alignment_bytes);
}

static block take_out(heap *self, chance *stream)
{
    size_t index = (size_t)chance_below(stream, self->count);
    block one = self->blocks[index];
    self->blocks[index] = self->blocks[--self->count];
    self->bytes -= one.bytes;
    return one;
}

static void put_in(heap *self, const block *one)
{
    self->blocks[self->count++] = *one;
    self->bytes += one->bytes;
}

/* A block goes to whoever comes by, and another one's is taken in. */
static void exchange(heap *self, chance *stream)
{
    block mine = take_out(self, stream);
    block others;
    if (queue_take(market, &others)) {
        put_in(self, &others);
    }
    if (!queue_put(market, &mine)) {
        block_free(&mine, "the market is full");
    }
}

static void resize(heap *self, chance *stream)
{
    block old = take_out(self, stream);
    size_t bytes = draw_bytes(stream, self->phase);
    block_check(&old, "before realloc");
    void *address = hepta_realloc(old.address, bytes);
    if (address == NULL) {
        stress_fail("realloc from %zu to %zu bytes", old.bytes, bytes);
    }
    block_check_moved(&old, address, bytes, "after realloc");
    block moved = block_adopt(stream, address, bytes, 16);
    put_in(self, &moved);
}

/* Returns how many bytes it made. */
static size_t turn(heap *self, chance *stream)
{
    block one = new_block(stream, draw_bytes(stream, self->phase));
    put_in(self, &one);
    if (chance_one_in(stream, 8)) {
        exchange(self, stream);
    }
    if (self->count > 0 && chance_one_in(stream, 32)) {
        resize(self, stream);
    }
    while (self->count > 0 && (self->bytes > limit_bytes || self->count == MOST_BLOCKS)) {
        block freed = take_out(self, stream);
        block_free(&freed, "replaced");
    }
    return one.bytes;
}

/* Each phase replaces as many bytes as are alive. */
static void shift(worker *self)
{
    heap mine = {.blocks = memory_map(MOST_BLOCKS * sizeof(block))};
    while (stress_open_now()) {
        for (size_t made_bytes = 0; made_bytes < limit_bytes && stress_open_now();) {
            made_bytes += turn(&mine, &self->stream);
            worker_step(self);
        }
        mine.phase++;
    }
    while (mine.count > 0) {
        block freed = take_out(&mine, &self->stream);
        block_free(&freed, "the end");
    }
    memory_unmap(mine.blocks, MOST_BLOCKS * sizeof(block));
}

int main(int argc, char **argv)
{
    stress_options options = stress_start(
        argc, argv,
        (stress_options){.name = "shifting", .seconds = 5, .threads = 6, .live_mib = 16});
    limit_bytes = options.live_mib * STRESS_MIB / options.threads;
    market = queue_new(MARKET_CAPACITY);
    stress_run_team("shifter", shift);
    queue_free_all(market);
    return stress_finish();
}
