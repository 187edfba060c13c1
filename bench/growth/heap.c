/*
 * heap: random replacement in a heap of a given size: what an operation costs against the bytes alive.
 *
 *   mib=64           alive, in blocks of 64 to 1,024 bytes, drawn evenly
 *   operations=2000000
 *   limit=0          1: the same without an allocator
 *
 * An operation draws a block, checks it at both ends, frees it, allocates one of another size and writes
 * both its ends. The limit draws a block in as much memory, checks it and writes both ends again: what that
 * costs more in a larger heap are the caches' and the page tables' misses, which nobody avoids.
 *
 * seconds= does not count the time in which the heap is built.
 */
#include "support/arguments.h"
#include "support/pages.h"
#include "support/parcel.h"
#include "support/random.h"
#include "support/result.h"
#include "support/team.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { LEAST_BYTES = 64, MOST_BYTES = 1024, MEAN_BYTES = (LEAST_BYTES + MOST_BYTES) / 2 };

typedef struct heap {
    bench_parcel **parcels;
    size_t count;
    bool is_limit;
    bench_random random;
} heap;

static size_t draw_bytes(heap *self)
{
    return bench_random_between(&self->random, LEAST_BYTES, MOST_BYTES);
}

static void build_of_blocks(heap *self)
{
    for (size_t i = 0; i < self->count; i++) {
        self->parcels[i] = bench_parcel_new(draw_bytes(self));
    }
}

static void build_of_pages(heap *self)
{
    size_t slot_bytes = MEAN_BYTES & ~(size_t)15;
    unsigned char *pages = bench_pages(self->count * slot_bytes + MOST_BYTES);
    for (size_t i = 0; i < self->count; i++) {
        self->parcels[i] = bench_parcel_adopt(pages + i * slot_bytes, slot_bytes);
    }
}

static void replace(heap *self)
{
    bench_parcel **place = &self->parcels[bench_random_below(&self->random, self->count)];
    bench_parcel_free(*place);
    *place = bench_parcel_new(draw_bytes(self));
}

static void write_again(heap *self)
{
    bench_parcel **place = &self->parcels[bench_random_below(&self->random, self->count)];
    bench_parcel_check(*place);
    bench_keep((void *)draw_bytes(self));
    *place = bench_parcel_adopt(*place, (*place)->bytes);
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "mib operations limit");
    size_t mib = bench_argument_within(argc, argv, "mib", 64, 1, 1 << 20);
    size_t operations = bench_argument_within(argc, argv, "operations", 2000000, 1, 1u << 31);
    heap self = {
        .count = (mib << 20) / MEAN_BYTES,
        .is_limit = bench_argument_within(argc, argv, "limit", 0, 0, 1) == 1,
        .random = bench_random_seeded(mib),
    };
    self.parcels = bench_pages(self.count * sizeof *self.parcels);
    void (*operate)(heap *) = self.is_limit ? write_again : replace;
    if (self.is_limit) {
        build_of_pages(&self);
    } else {
        build_of_blocks(&self);
    }
    /* As many again first: the allocator's lists are as they will stay, and so are the caches. */
    for (size_t i = 0; i < operations; i++) {
        operate(&self);
    }
    double begin = bench_now();
    for (size_t i = 0; i < operations; i++) {
        operate(&self);
    }
    int status = bench_result(bench_now() - begin, operations);
    fflush(stdout);
    /* Not block by block. */
    _exit(status);
}
