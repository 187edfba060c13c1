/*
 * random_list: many linked lists, together larger than the caches, walked from end to end in random
 * order; of what a walk meets, every eighth node is replaced by one of another size.
 *
 *   threads=1    scale=1.0
 *   mib=300      of nodes, in all (less at a scale below 0.2): each thread has lists of its own
 *   least=32 most=160   bytes of a node, small ones more often
 *
 * Sixteen lists grow at a time, by turns at random, so that neighbours in a list are near each other in
 * the order of the mallocs but not next to each other. A walk is fast where the allocator keeps that order
 * in the addresses.
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/pages.h"
#include "support/random.h"
#include "support/team.h"

enum { STEPS = 3000000, STEPS_PER_REPLACEMENT = 8, LIST_NODES = 1000, GROWN_TOGETHER = 16 };

typedef struct node {
    struct node *next;
    size_t bytes;
    unsigned char value[]; /* its last byte is the lowest of the bytes */
} node;

typedef struct workload {
    size_t least_bytes;
    size_t most_bytes;
    uint64_t lists; /* per thread, a multiple of GROWN_TOGETHER */
    uint64_t steps; /* per thread */
} workload;

static unsigned char *last_byte(node *self)
{
    return (unsigned char *)self + self->bytes - 1;
}

static node *new_node(const workload *self, bench_random *random)
{
    size_t bytes = bench_random_inverse_square(random, self->least_bytes, self->most_bytes);
    node *new = bench_keep(malloc(bytes));
    if (new == NULL) {
        bench_fail("an allocation returned NULL");
    }
    *new = (node){.bytes = bytes};
    *last_byte(new) = (unsigned char)bytes;
    return new;
}

static node **build(const workload *self, bench_random *random)
{
    node **lists = bench_pages(self->lists * sizeof *lists);
    for (uint64_t first = 0; first < self->lists; first += GROWN_TOGETHER) {
        for (unsigned i = 0; i < LIST_NODES * GROWN_TOGETHER; i++) {
            node **list = &lists[first + bench_random_below(random, GROWN_TOGETHER)];
            node *new = new_node(self, random);
            new->next = *list;
            *list = new;
        }
    }
    return lists;
}

static uint64_t walk(const workload *self, bench_random *random, node **list)
{
    uint64_t steps = 0;
    for (node **at = list; *at != NULL; at = &(*at)->next) {
        node *met = *at;
        if (*last_byte(met) != (unsigned char)met->bytes) {
            bench_fail("the content of a node has changed");
        }
        if (steps++ % STEPS_PER_REPLACEMENT == 0) {
            node *new = new_node(self, random);
            new->next = met->next;
            *at = new;
            free(met);
        }
    }
    return steps;
}

static void free_list(node *list)
{
    while (list != NULL) {
        node *next = list->next;
        free(list);
        list = next;
    }
}

static void use(unsigned member, void *context)
{
    const workload *self = context;
    bench_random random = bench_random_seeded(member);
    node **lists = build(self, &random);
    for (uint64_t steps = 0; steps < self->steps;) {
        steps += walk(self, &random, &lists[bench_random_below(&random, self->lists)]);
    }
    for (uint64_t i = 0; i < self->lists; i++) {
        free_list(lists[i]);
    }
    bench_pages_free(lists, self->lists * sizeof *lists);
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale mib least most");
    unsigned threads =
        (unsigned)bench_argument_within(argc, argv, "threads", 1, 1, BENCH_TEAM_AT_MOST);
    workload self = {
        .least_bytes = bench_argument_within(argc, argv, "least", 32, sizeof(node) + 1, 4096),
        .steps = bench_argument_scaled(argc, argv, STEPS) / threads,
    };
    self.most_bytes = bench_argument_within(argc, argv, "most", 160, self.least_bytes, 65536);
    uint64_t mib = bench_argument_within(argc, argv, "mib", 300, 1, 1 << 16);
    uint64_t scaled_mib = bench_argument_scaled(argc, argv, 5 * mib);
    mib = scaled_mib < mib ? scaled_mib : mib;
    /* 64 bytes is the mean of the sizes 32 to 160. */
    uint64_t groups = (mib << 20) / 64 / threads / (LIST_NODES * GROWN_TOGETHER);
    self.lists = (groups + 1) * GROWN_TOGETHER;
    double seconds = bench_team_run(threads, use, &self);
    return bench_result(seconds, (self.steps + self.lists * LIST_NODES) * threads);
}
