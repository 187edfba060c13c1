#include "rss/chain.h"
#include "rss/gauge.h"
#include "rss/scenarios.h"
#include "support/block.h"
#include "support/random.h"
#include "support/result.h"
#include "support/team.h"

#include <stdio.h>

enum { SLOTS = 12, LEAST_BYTES = 5000000, MOST_BYTES = 25000000, REPLACED = 300 };

static void renew(bench_block *slot, bench_random *random)
{
    gauge_live_take(slot->bytes);
    bench_block_free(slot);
    *slot = bench_block_new(bench_random_between(random, LEAST_BYTES, MOST_BYTES));
    chain_touch(slot->address, slot->bytes);
    gauge_live_add(slot->bytes);
}

/* Twelve buffers of 5 to 25 MB; three hundred times one of them is freed and another one allocated, and every page
 * of it is written. */
void buffers(const rss_plan *plan)
{
    static bench_block slots[SLOTS];
    bench_random random = bench_random_seeded(1);
    for (size_t i = 0; i < SLOTS; i++) {
        renew(&slots[i], &random);
    }
    size_t replaced = (size_t)(REPLACED * plan->scale);
    double begin = bench_now();
    for (size_t i = 0; i < replaced; i++) {
        renew(&slots[bench_random_below(&random, SLOTS)], &random);
    }
    bench_result(bench_now() - begin, replaced);
    fflush(stdout);
    gauge_point("replaced");
}
