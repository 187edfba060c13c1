/*
 * random_tree: a balanced binary tree, larger than the caches; searches for random keys, and every other
 * node that was found is replaced by one of another size.
 *
 *   threads=1    scale=1.0
 *   mib=300      of nodes, in all (less at a scale below 0.2): each thread has a tree of its own
 *   least=48 most=256   bytes of a node, small ones more often
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/random.h"
#include "support/team.h"

enum { STEPS = 600000, STEPS_PER_REPLACEMENT = 2 };

typedef struct node {
    struct node *child[2]; /* smaller keys, larger keys */
    uint64_t key;
    size_t bytes;
    unsigned char value[]; /* its last byte is that of the key */
} node;

typedef struct workload {
    size_t least_bytes;
    size_t most_bytes;
    uint64_t keys;  /* per thread */
    uint64_t steps; /* per thread */
} workload;

static unsigned char *last_byte(node *self)
{
    return (unsigned char *)self + self->bytes - 1;
}

static node *new_node(const workload *self, bench_random *random, uint64_t key)
{
    size_t bytes = bench_random_inverse_square(random, self->least_bytes, self->most_bytes);
    node *new = bench_keep(malloc(bytes));
    if (new == NULL) {
        bench_fail("an allocation returned NULL");
    }
    *new = (node){.key = key, .bytes = bytes};
    *last_byte(new) = (unsigned char)key;
    return new;
}

/* The keys from..until - 1; the depth is 64 at most. */
static node *build(const workload *self, bench_random *random, uint64_t from, uint64_t until)
{
    if (from == until) {
        return NULL;
    }
    uint64_t middle = from + (until - from) / 2;
    node *made = new_node(self, random, middle);
    made->child[0] = build(self, random, from, middle);
    made->child[1] = build(self, random, middle + 1, until);
    return made;
}

/* Where the pointer to the node is. */
static node **find(node **root, uint64_t key)
{
    node **at = root;
    while (*at != NULL && (*at)->key != key) {
        at = &(*at)->child[key > (*at)->key];
    }
    if (*at == NULL || *last_byte(*at) != (unsigned char)key) {
        bench_fail("the content of a node has changed");
    }
    return at;
}

static void replace(const workload *self, bench_random *random, node **at)
{
    node *old = *at;
    node *new = new_node(self, random, old->key);
    new->child[0] = old->child[0];
    new->child[1] = old->child[1];
    *at = new;
    free(old);
}

static void free_all(node *self)
{
    if (self != NULL) {
        free_all(self->child[0]);
        free_all(self->child[1]);
        free(self);
    }
}

static void use(unsigned member, void *context)
{
    const workload *self = context;
    bench_random random = bench_random_seeded(member);
    node *root = build(self, &random, 0, self->keys);
    for (uint64_t step = 0; step < self->steps; step++) {
        node **at = find(&root, bench_random_below(&random, self->keys));
        if (step % STEPS_PER_REPLACEMENT == 0) {
            replace(self, &random, at);
        }
    }
    free_all(root);
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale mib least most");
    unsigned threads =
        (unsigned)bench_argument_within(argc, argv, "threads", 1, 1, BENCH_TEAM_AT_MOST);
    workload self = {
        .least_bytes = bench_argument_within(argc, argv, "least", 48, sizeof(node) + 1, 4096),
        .steps = bench_argument_scaled(argc, argv, STEPS) / threads,
    };
    self.most_bytes = bench_argument_within(argc, argv, "most", 256, self.least_bytes, 65536);
    uint64_t mib = bench_argument_within(argc, argv, "mib", 300, 1, 1 << 16);
    uint64_t scaled_mib = bench_argument_scaled(argc, argv, 5 * mib);
    mib = scaled_mib < mib ? scaled_mib : mib;
    /* 99 bytes is the mean of the sizes 48 to 256. */
    self.keys = (mib << 20) / 99 / threads;
    double seconds = bench_team_run(threads, use, &self);
    return bench_result(seconds, (self.steps + self.keys) * threads);
}
