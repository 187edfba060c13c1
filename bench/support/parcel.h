/*
 * parcel: a piece of memory of the allocator under test that carries its own length, so that a pointer
 * is all that has to be handed from thread to thread.
 *
 * Invariants  1  seal is bench_parcel_seal() of the address and the length; the last byte of a parcel
 *                longer than its header is the seal's lowest.
 * Threads     a parcel belongs to one thread at a time.
 */
#pragma once

#include "support/block.h"
#include "support/result.h"

#include <stdint.h>
#include <stdlib.h>

typedef struct bench_parcel {
    size_t bytes; /* with this header */
    uint64_t seal;
} bench_parcel;

enum { BENCH_PARCEL_BYTES = sizeof(bench_parcel) };

static inline uint64_t bench_parcel_seal(const bench_parcel *self, size_t bytes)
{
    return ((uintptr_t)self ^ bytes << 40 ^ bytes) * UINT64_C(0x9e3779b97f4a7c15) >> 7;
}

static inline unsigned char *bench_parcel_last(bench_parcel *self, size_t bytes)
{
    return (unsigned char *)self + bytes - 1;
}

/* Seals what an allocating function returned for `bytes` bytes, at least BENCH_PARCEL_BYTES. */
static inline bench_parcel *bench_parcel_adopt(void *address, size_t bytes)
{
    bench_parcel *self = bench_keep(address);
    if (self == NULL) {
        bench_fail("an allocation returned NULL");
    }
    if ((uintptr_t)self % BENCH_ALIGNMENT_BYTES != 0) {
        bench_fail("a block is misaligned");
    }
    uint64_t seal = bench_parcel_seal(self, bytes);
    self->bytes = bytes;
    self->seal = seal;
    if (bytes > BENCH_PARCEL_BYTES) {
        *bench_parcel_last(self, bytes) = (unsigned char)seal;
    }
    return self;
}

static inline bench_parcel *bench_parcel_new(size_t bytes)
{
    return bench_parcel_adopt(malloc(bytes), bytes);
}

static inline void bench_parcel_check(bench_parcel *self)
{
    size_t bytes = self->bytes;
    if (self->seal != bench_parcel_seal(self, bytes) ||
        (bytes > BENCH_PARCEL_BYTES &&
         *bench_parcel_last(self, bytes) != (unsigned char)self->seal)) {
        bench_fail("the content of a block has changed");
    }
}

/* Nothing happens to NULL. */
static inline void bench_parcel_free(bench_parcel *self)
{
    if (self != NULL) {
        bench_parcel_check(self);
        free(self);
    }
}
