/*
 * block: a chunk of the allocator under test, filled with a pattern of its own.
 *
 * The pattern follows from address, size and a serial number, all of which are kept outside the
 * chunk. Two chunks that overlap, a chunk that was handed out twice, and metadata written into a
 * live chunk therefore all show at the next check, whichever thread makes it.
 *
 * Invariants  1  a block's bytes are what block_fill wrote (block_check). Blocks above 4 KiB carry
 *                the pattern in their head, their tail and in up to 64 samples at page borders.
 * Threads     a block belongs to one thread at a time; handing it over is the caller's business
 *             and must order the filling before the check.
 */
#pragma once

#include "chance.h"

#include <stddef.h>
#include <stdint.h>

typedef struct block {
    unsigned char *address;
    size_t bytes;
    uint64_t serial;
} block;

/* hepta_malloc and block_adopt. Every eighth block takes all of its usable size. */
block block_make(chance *stream, size_t bytes);

/* Makes a block of what the allocator returned: fails on NULL, a wrong alignment or a usable
 * size below the request; fills it. */
block block_adopt(chance *stream, void *address, size_t bytes, size_t alignment_bytes);

void block_fill(const block *self);

/* The program fails when a byte is not what block_fill wrote. */
void block_check(const block *self, const char *when);

/* The same for the first limit_bytes of the block's content when it lies at another address now. */
void block_check_moved(const block *self, const void *address, size_t limit_bytes,
                       const char *when);

/* block_check and hepta_free. */
void block_free(const block *self, const char *when);
