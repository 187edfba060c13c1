/*
 * chain: blocks of the allocator under test, each linked to the one before it through its own bytes, so that
 * the program has no other memory than what it allocates. Every page of a block is written.
 *
 * Invariants  bytes is the sum over the blocks; each is a whole parcel.
 * Threads     a chain belongs to one thread at a time.
 */
#pragma once

#include "support/parcel.h"
#include "support/random.h"

#include <stddef.h>

typedef struct chain_link {
    bench_parcel parcel;
    struct chain_link *next;
} chain_link;

typedef struct chain {
    chain_link *first;
    size_t count;
    size_t bytes;
} chain;

enum { CHAIN_LEAST_BYTES = 32, CHAIN_PAGE_BYTES = 4096 };

/* Writes to every page of a block, past its header. */
static inline void chain_touch(void *block, size_t bytes)
{
    for (size_t at = CHAIN_PAGE_BYTES; at + 1 < bytes; at += CHAIN_PAGE_BYTES) {
        ((unsigned char *)block)[at] = 1;
    }
}

/* `bytes` is at least CHAIN_LEAST_BYTES. */
static inline void chain_add(chain *self, size_t bytes)
{
    chain_link *link = (chain_link *)bench_parcel_new(bytes);
    chain_touch(link, bytes);
    link->next = self->first;
    *self = (chain){.first = link, .count = self->count + 1, .bytes = self->bytes + bytes};
}

/* The chain must not be empty. Returns the length of the block that went. */
static inline size_t chain_drop(chain *self)
{
    chain_link *link = self->first;
    size_t bytes = link->parcel.bytes;
    *self = (chain){.first = link->next, .count = self->count - 1, .bytes = self->bytes - bytes};
    bench_parcel_free(&link->parcel);
    return bytes;
}

/* Blocks of least..most bytes, as many small as large ones by powers of two, until the chain has `bytes`. The
 * gauge is told as it goes on. */
void chain_fill(chain *self, size_t bytes, size_t least, size_t most, bench_random *random);

/* Frees all; the gauge is told as it goes on. */
void chain_free(chain *self);
