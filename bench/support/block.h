/*
 * block: a piece of memory of the allocator under test that remembers how long it is.
 *
 * Its first and its last byte are written when it comes and compared when it goes, so that an
 * allocator that gives out the same bytes twice, or writes into what is in use, is found out, and so
 * that the memory is touched as a program would touch it. The length is kept outside of the block.
 *
 * Invariants  1  first and last byte are bench_block_mark() of the block.
 * Threads     a block belongs to one thread at a time.
 */
#pragma once

#include "support/result.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { BENCH_ALIGNMENT_BYTES = 16 };

typedef struct bench_block {
    unsigned char *address; /* NULL: no block */
    size_t bytes;           /* at least 1 */
} bench_block;

/* The compiler knows malloc and free, and may leave out a pair that nobody looks at: past this it
 * does not know any more where the pointer came from. */
static inline void *bench_keep(void *address)
{
    __asm__ volatile("" : "+r"(address) : : "memory");
    return address;
}

static inline unsigned char bench_block_mark(const bench_block *self)
{
    uintptr_t mixed = ((uintptr_t)self->address >> 4) ^ self->bytes;
    return (unsigned char)(mixed ^ mixed >> 8);
}

/* Takes what an allocating function returned for `bytes` bytes. */
static inline bench_block bench_block_adopt(void *address, size_t bytes)
{
    bench_block self = {.address = bench_keep(address), .bytes = bytes};
    if (self.address == NULL) {
        bench_fail("an allocation returned NULL");
    }
    if ((uintptr_t)self.address % (bytes < BENCH_ALIGNMENT_BYTES ? 8 : BENCH_ALIGNMENT_BYTES) !=
        0) {
        bench_fail("a block is misaligned");
    }
    self.address[0] = bench_block_mark(&self);
    self.address[bytes - 1] = bench_block_mark(&self);
    return self;
}

static inline bench_block bench_block_new(size_t bytes)
{
    return bench_block_adopt(malloc(bytes), bytes);
}

static inline void bench_block_check(const bench_block *self)
{
    unsigned char mark = bench_block_mark(self);
    if (self->address[0] != mark || self->address[self->bytes - 1] != mark) {
        bench_fail("the content of a block has changed");
    }
}

/* Nothing happens to no block. */
static inline void bench_block_free(bench_block *self)
{
    if (self->address != NULL) {
        bench_block_check(self);
        free(self->address);
        self->address = NULL;
    }
}

/* A table of empty slots; it comes from the allocator under test, as a program's would. */
bench_block *bench_table_new(size_t slots);

/* Frees the blocks of the table and the table. */
void bench_table_free(bench_block *table, size_t slots);
