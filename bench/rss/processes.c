#include "rss/chain.h"
#include "rss/gauge.h"
#include "rss/scenarios.h"
#include "support/random.h"
#include "support/result.h"

#include <sys/wait.h>
#include <unistd.h>

enum { HEAP_BYTES = 128 << 20, BLOCK_BYTES = 200 };

/* Frees every other block of what it has inherited. The gauge goes on to tell what the parent holds. */
static void free_half(chain_link *link)
{
    while (link != NULL && link->next != NULL) {
        chain_link *next = link->next;
        link = next->next;
        bench_parcel_free(&next->parcel);
    }
}

/* 128 MiB in blocks of 200 bytes; a forked child frees every other one: what of the memory that it shares with its
 * parent becomes its own? */
void fork_child(const rss_plan *plan)
{
    bench_random random = bench_random_seeded(1);
    chain held = {0};
    chain_fill(&held, (size_t)(HEAP_BYTES * plan->scale), BLOCK_BYTES, BLOCK_BYTES, &random);
    gauge_point("parent");
    pid_t child = fork();
    if (child < 0) {
        bench_fail("fork");
    }
    if (child == 0) {
        gauge_point("inherited");
        free_half(held.first);
        gauge_point("child");
        _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) {
        bench_fail("the child did not end well");
    }
}
