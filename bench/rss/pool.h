/*
 * pool: blocks of the allocator under test, any of which may be the next to go.
 *
 * The table of them is memory straight from the system. What of it was touched counts as live: it is the
 * program's own.
 *
 * Invariants  count <= most_count; bytes is the sum over the blocks.
 * Threads     a pool belongs to one thread.
 */
#pragma once

#include "support/parcel.h"
#include "support/random.h"

#include <stddef.h>

typedef struct pool {
    bench_parcel **parcels;
    size_t count;
    size_t bytes;
    size_t most_count; /* that there have ever been */
    size_t table_bytes;
} pool;

/* For at most that many blocks. */
pool pool_new(size_t blocks);

void pool_add(pool *self, size_t bytes);

/* Takes any block out of the pool, which must not be empty. It stays live until somebody frees it. */
bench_parcel *pool_take_any(pool *self, bench_random *random);

void pool_free_any(pool *self, bench_random *random);

/* Frees all, the table too. */
void pool_free(pool *self);
