/*
 * random_hash: a hash table with chains, larger than the caches; look-ups and replacements of random
 * keys. Nearly all of the time is cache misses: how many there are is decided by how densely, and how
 * close to what is used together, the allocator places the nodes.
 *
 *   threads=1    scale=1.0
 *   mib=300      of nodes, in all (less at a scale below 0.2): each thread has a table of its own
 *   least=32 most=160   bytes of a node, small ones more often
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/random.h"
#include "support/team.h"

enum { STEPS = 1000000, STEPS_PER_REPLACEMENT = 4 };

typedef struct node {
    struct node *next;
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

typedef struct table {
    node **buckets;
    size_t count;
    unsigned shift;
} table;

static node **bucket_of(const table *self, uint64_t key)
{
    return &self->buckets[(key * UINT64_C(0x9e3779b97f4a7c15)) >> self->shift];
}

static unsigned char *last_byte(node *self)
{
    return (unsigned char *)self + self->bytes - 1;
}

static void insert(table *self, uint64_t key, size_t bytes)
{
    node *new = bench_keep(malloc(bytes));
    if (new == NULL) {
        bench_fail("an allocation returned NULL");
    }
    node **bucket = bucket_of(self, key);
    *new = (node){.next = *bucket, .key = key, .bytes = bytes};
    *last_byte(new) = (unsigned char)key;
    *bucket = new;
}

/* Where the pointer to the node is. */
static node **find(const table *self, uint64_t key)
{
    node **at = bucket_of(self, key);
    while (*at != NULL && (*at)->key != key) {
        at = &(*at)->next;
    }
    if (*at == NULL || *last_byte(*at) != (unsigned char)key) {
        bench_fail("the content of a node has changed");
    }
    return at;
}

static void take_out(node **at)
{
    node *old = *at;
    *at = old->next;
    free(old);
}

static size_t draw_bytes(const workload *self, bench_random *random)
{
    return bench_random_inverse_square(random, self->least_bytes, self->most_bytes);
}

static table build(const workload *self, bench_random *random)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(self->keys);
    table made = {.count = (size_t)1 << bits, .shift = 64 - bits};
    made.buckets = bench_keep(calloc(made.count, sizeof(node *)));
    if (made.buckets == NULL) {
        bench_fail("an allocation returned NULL");
    }
    for (uint64_t key = 0; key < self->keys; key++) {
        insert(&made, key, draw_bytes(self, random));
    }
    return made;
}

static void free_all(table *self)
{
    for (size_t i = 0; i < self->count; i++) {
        while (self->buckets[i] != NULL) {
            take_out(&self->buckets[i]);
        }
    }
    free(self->buckets);
}

static void use(unsigned member, void *context)
{
    const workload *self = context;
    bench_random random = bench_random_seeded(member);
    table used = build(self, &random);
    for (uint64_t step = 0; step < self->steps; step++) {
        uint64_t key = bench_random_below(&random, self->keys);
        node **at = find(&used, key);
        if (step % STEPS_PER_REPLACEMENT == 0) {
            take_out(at);
            insert(&used, key, draw_bytes(self, &random));
        }
    }
    free_all(&used);
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
    self.keys = (mib << 20) / 64 / threads;
    double seconds = bench_team_run(threads, use, &self);
    return bench_result(seconds, (self.steps + self.keys) * threads);
}
