/*
 * larson: a server whose threads come and go and leave their blocks to the next (Larson and Krishnan,
 * "Memory allocation for long-running server applications", 1998).
 *
 * larson [threads=2] [scale=1] [blocks=1000] [rounds=10] [replacements=15000000] [least=8] [most=1000]
 *
 * The first thread fills an array of blocks for every worker. A worker replaces random ones, `rounds`
 * times as many as there are; then it hands the array to a thread that it creates, and exits. So most
 * of what a thread frees early in its life comes from a thread that is no more. `threads` of these
 * chains run at a time and share the replacements. The time has the creation of threads in it.
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/random.h"
#include "support/result.h"
#include "support/team.h"

#include <pthread.h>
#include <semaphore.h>

typedef struct larson {
    size_t blocks;
    size_t least_bytes;
    size_t most_bytes;
    uint64_t replacements_a_life;
    uint64_t lives; /* of each chain */
    struct chain *chains;
} larson;

/* Belongs to one thread after the other. */
typedef struct chain {
    const larson *server;
    bench_block *table;
    bench_random random;
    uint64_t lives_left;
    pthread_t latest; /* of the threads that have come to an end, if any has */
    sem_t ended;
} chain;

static size_t draw_bytes(chain *self)
{
    return bench_random_between(&self->random, self->server->least_bytes, self->server->most_bytes);
}

static void fill(chain *self)
{
    for (size_t i = 0; i < self->server->blocks; i++) {
        self->table[i] = bench_block_new(draw_bytes(self));
    }
}

static void replace(chain *self)
{
    for (uint64_t i = 0; i < self->server->replacements_a_life; i++) {
        bench_block *victim = &self->table[bench_random_below(&self->random, self->server->blocks)];
        bench_block_free(victim);
        *victim = bench_block_new(draw_bytes(self));
    }
}

static void begin_life(chain *self);

static void *live(void *argument)
{
    chain *self = argument;
    replace(self);
    /* A predecessor is waited for late, when it has long exited: it must not leak, and its exit must
     * not be in nobody's time. */
    if (self->lives_left < self->server->lives - 1) {
        pthread_join(self->latest, NULL);
    }
    self->latest = pthread_self();
    if (self->lives_left == 0) {
        sem_post(&self->ended);
    } else {
        begin_life(self);
    }
    return NULL;
}

static void begin_life(chain *self)
{
    pthread_t thread;
    self->lives_left--;
    if (pthread_create(&thread, NULL, live, self) != 0) {
        bench_fail("no more threads");
    }
}

static void run_chain(unsigned member, void *context)
{
    const larson *server = context;
    chain *self = &server->chains[member];
    begin_life(self);
    bench_wait(&self->ended);
    pthread_join(self->latest, NULL);
}

static larson larson_from(int argc, char **argv, unsigned threads)
{
    bench_arguments_check(argc, argv, "threads scale blocks rounds replacements least most");
    larson server = {
        .blocks = bench_argument_within(argc, argv, "blocks", 1000, 1, 1000000),
        .least_bytes = bench_argument_within(argc, argv, "least", 8, 1, 1 << 20),
        .most_bytes = bench_argument_within(argc, argv, "most", 1000, 1, 1 << 20),
    };
    uint64_t replacements =
        bench_argument_within(argc, argv, "replacements", 15000000, 1, 1000000000);
    uint64_t rounds = bench_argument_within(argc, argv, "rounds", 10, 1, 1000000);
    server.replacements_a_life = rounds * server.blocks;
    server.lives =
        bench_argument_scaled(argc, argv, replacements) / threads / server.replacements_a_life;
    server.lives += server.lives == 0;
    return server;
}

int main(int argc, char **argv)
{
    unsigned threads = (unsigned)bench_argument_within(argc, argv, "threads", 2, 1, 256);
    larson server = larson_from(argc, argv, threads);
    chain chains[BENCH_TEAM_AT_MOST];
    server.chains = chains;
    for (unsigned i = 0; i < threads; i++) {
        chains[i] = (chain){.server = &server, .lives_left = server.lives};
        chains[i].random = bench_random_seeded(i);
        chains[i].table = bench_table_new(server.blocks);
        sem_init(&chains[i].ended, 0, 0);
        fill(&chains[i]);
    }
    double seconds = bench_team_run(threads, run_chain, &server);
    for (unsigned i = 0; i < threads; i++) {
        bench_table_free(chains[i].table, server.blocks);
        sem_destroy(&chains[i].ended);
    }
    return bench_result(seconds, threads * server.lives * server.replacements_a_life);
}
