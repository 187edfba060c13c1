/*
 * What best fit with coalescing can do at best where sizes move: the limit beside the scenario `shifting`.
 *
 * The heap of the scenario without an allocator around it: hepta's best-fit core hands out units of 16 bytes, as many
 * as a block has, and merges what is freed at once. There are no headers, no size classes, no caches, and a page
 * counts only as long as a block reaches into it, as if it went back to the system in the same moment.
 *
 * usage: best_fit [MIDDLES]; CSV on standard output
 */
#include "support/shifting.h"

#include "arena/bfc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { UNIT_BYTES = 16, PAGE_BYTES = 4096, LIVE_BYTES = 64 << 20, HEAP_BYTES = 512 << 20 };
enum { UNITS = HEAP_BYTES / UNIT_BYTES, MOST_BLOCKS = 4 << 20 };

typedef struct heap {
    hp_bfc core;
    hp_bfc_chunk *table;
    uint32_t *blocks; /* the chunks of those alive */
    uint32_t count;
    size_t live_bytes;
    uint16_t *blocks_on_page;
    size_t pages; /* with a block */
    bench_random random;
} heap;

static size_t bytes_of(const heap *self, uint32_t chunk)
{
    return (size_t)self->table[chunk].page_count * UNIT_BYTES;
}

/* The first page of a chunk and the one behind its last. */
static size_t first_page(const heap *self, uint32_t chunk)
{
    return (size_t)self->table[chunk].start_page * UNIT_BYTES / PAGE_BYTES;
}

static size_t end_page(const heap *self, uint32_t chunk)
{
    size_t end = (size_t)self->table[chunk].start_page * UNIT_BYTES + bytes_of(self, chunk);
    return (end + PAGE_BYTES - 1) / PAGE_BYTES;
}

static void free_any(heap *self)
{
    size_t index = bench_random_below(&self->random, self->count);
    uint32_t chunk = self->blocks[index];
    self->blocks[index] = self->blocks[--self->count];
    self->live_bytes -= bytes_of(self, chunk);
    for (size_t page = first_page(self, chunk); page < end_page(self, chunk); page++) {
        self->pages -= --self->blocks_on_page[page] == 0;
    }
    hp_bfc_free(&self->core, chunk, 0);
}

static void add(heap *self, size_t bytes)
{
    uint32_t chunk = hp_bfc_allocate(&self->core, (uint32_t)(bytes / UNIT_BYTES), 1);
    if (chunk == HP_BFC_NONE || self->count == MOST_BLOCKS) {
        fprintf(stderr, "best_fit: the heap is too small\n");
        exit(1);
    }
    self->blocks[self->count++] = chunk;
    self->live_bytes += bytes;
    for (size_t page = first_page(self, chunk); page < end_page(self, chunk); page++) {
        self->pages += self->blocks_on_page[page]++ == 0;
    }
}

/* As many bytes as are alive are replaced by blocks around one middle. */
static void replace(heap *self, unsigned number)
{
    for (size_t allocated = 0; allocated < LIVE_BYTES;) {
        size_t bytes = (bench_shifting_bytes(number, &self->random) + UNIT_BYTES - 1) &
                       ~(size_t)(UNIT_BYTES - 1);
        while (self->live_bytes + bytes > LIVE_BYTES) {
            free_any(self);
        }
        add(self, bytes);
        allocated += bytes;
    }
}

int main(int argc, char **argv)
{
    unsigned middles = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 4 * BENCH_SHIFTING_TURN;
    static heap self;
    /* Fewer records than for a chunk per unit: a free chunk lies between two blocks. */
    self.table = calloc(2 * (size_t)MOST_BLOCKS + 1, sizeof *self.table);
    self.blocks = calloc(MOST_BLOCKS, sizeof *self.blocks);
    self.blocks_on_page = calloc(HEAP_BYTES / PAGE_BYTES + 1, sizeof *self.blocks_on_page);
    if (self.table == NULL || self.blocks == NULL || self.blocks_on_page == NULL) {
        perror("best_fit");
        return 1;
    }
    hp_bfc_init(&self.core, self.table, UNITS);
    self.random = bench_random_seeded(1);
    replace(&self, 0);
    printf("middle,middle_bytes,pages_over_live\n");
    for (unsigned number = 0; number < middles; number++) {
        replace(&self, number);
        printf("%u,%zu,%.3f\n", number, bench_shifting_middle_bytes(number),
               (double)(self.pages * PAGE_BYTES) / (double)self.live_bytes);
    }
    free(self.blocks_on_page);
    free(self.blocks);
    free(self.table);
    return 0;
}
