#include "rss/pool.h"

#include "rss/chain.h"
#include "rss/gauge.h"
#include "support/pages.h"

pool pool_new(size_t blocks)
{
    size_t table_bytes = blocks * sizeof(bench_parcel *);
    return (pool){.parcels = bench_pages(table_bytes), .table_bytes = table_bytes};
}

void pool_add(pool *self, size_t bytes)
{
    bench_parcel *parcel = bench_parcel_new(bytes);
    chain_touch(parcel, bytes);
    self->parcels[self->count++] = parcel;
    self->bytes += bytes;
    size_t more = 0;
    if (self->count > self->most_count) {
        self->most_count = self->count;
        more = sizeof *self->parcels;
    }
    gauge_live_add(bytes + more);
}

bench_parcel *pool_take_any(pool *self, bench_random *random)
{
    size_t index = bench_random_below(random, self->count);
    bench_parcel *parcel = self->parcels[index];
    self->parcels[index] = self->parcels[--self->count];
    self->bytes -= parcel->bytes;
    return parcel;
}

void pool_free_any(pool *self, bench_random *random)
{
    bench_parcel *parcel = pool_take_any(self, random);
    gauge_live_take(parcel->bytes);
    bench_parcel_free(parcel);
}

void pool_free(pool *self)
{
    while (self->count > 0) {
        bench_parcel_free(self->parcels[--self->count]);
    }
    gauge_live_take(self->bytes + self->most_count * sizeof *self->parcels);
    bench_pages_free(self->parcels, self->table_bytes);
    *self = (pool){0};
}
