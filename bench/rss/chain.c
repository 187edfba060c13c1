#include "rss/chain.h"

#include "rss/gauge.h"

enum { TOLD_BYTES = 64 << 10 };

void chain_fill(chain *self, size_t bytes, size_t least, size_t most, bench_random *random)
{
    size_t told = self->bytes;
    while (self->bytes < bytes) {
        chain_add(self, least == most ? least : bench_random_inverse(random, least, most));
        if (self->bytes - told >= TOLD_BYTES) {
            gauge_live_add(self->bytes - told);
            told = self->bytes;
        }
    }
    gauge_live_add(self->bytes - told);
}

void chain_free(chain *self)
{
    size_t gone = 0;
    while (self->first != NULL) {
        gone += chain_drop(self);
        if (gone >= TOLD_BYTES) {
            gauge_live_take(gone);
            gone = 0;
        }
    }
    gauge_live_take(gone);
}
