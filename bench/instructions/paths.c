/*
 * Runs one path of an allocator a given number of times: paths NAME ROUNDS. count.py runs it twice
 * under callgrind with different ROUNDS; the difference is the path's steady state.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 1000

static void *blocks[BATCH];
static size_t sizes[BATCH];
static uint32_t order[BATCH];
static long rounds;
static uint64_t random_state = 88172645463325252u;

/* xorshift64 (Marsaglia, "Xorshift RNGs", 2003) */
static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void *keep(void *block)
{
    __asm__ volatile("" : "+r"(block) : : "memory");
    return block;
}

static void pair(size_t bytes)
{
    for (long round = 0; round < rounds * BATCH; round++) {
        free(keep(malloc(bytes)));
    }
}

static void pair_64(void)
{
    pair(64);
}

static void pair_4096(void)
{
    pair(4096);
}

static void pair_100k(void)
{
    pair(100000);
}

static void free_null(void)
{
    for (long round = 0; round < rounds * BATCH; round++) {
        free(keep(NULL));
    }
}

static void calloc_64(void)
{
    for (long round = 0; round < rounds * BATCH; round++) {
        free(keep(calloc(1, 64)));
    }
}

static void realloc_up(void)
{
    for (long round = 0; round < rounds; round++) {
        void *block = NULL;
        for (size_t bytes = 1; bytes <= BATCH; bytes++) {
            block = keep(realloc(block, bytes));
        }
        free(block);
    }
}

static void shuffle(void)
{
    for (uint32_t index = 0; index < BATCH; index++) {
        order[index] = index;
        sizes[index] = 16 + next_random() % 1009;
    }
    for (uint32_t index = BATCH - 1; index > 0; index--) {
        uint32_t other = (uint32_t)(next_random() % (index + 1));
        uint32_t swapped = order[index];
        order[index] = order[other];
        order[other] = swapped;
    }
}

static void allocate_batch(void)
{
    for (uint32_t index = 0; index < BATCH; index++) {
        blocks[index] = malloc(sizes[index]);
    }
}

static void free_batch(void)
{
    for (uint32_t index = 0; index < BATCH; index++) {
        free(blocks[order[index]]);
    }
}

static void batch(void)
{
    shuffle();
    for (long round = 0; round < rounds; round++) {
        allocate_batch();
        free_batch();
    }
}

static sem_t full;
static sem_t empty;

static void *consume(void *unused)
{
    for (long round = 0; round < rounds; round++) {
        sem_wait(&full);
        for (uint32_t index = 0; index < BATCH; index++) {
            free(blocks[index]);
        }
        sem_post(&empty);
    }
    return unused;
}

/* Every block is freed by another thread, in the order of the mallocs. */
static void remote(void)
{
    pthread_t consumer;
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, 0);
    if (pthread_create(&consumer, NULL, consume, NULL) != 0) {
        abort();
    }
    for (long round = 0; round < rounds; round++) {
        for (uint32_t index = 0; index < BATCH; index++) {
            blocks[index] = malloc(64);
        }
        sem_post(&full);
        sem_wait(&empty);
    }
    pthread_join(consumer, NULL);
}

static const struct {
    const char *name;
    void (*run)(void);
} paths[] = {
    {"pair-64", pair_64},     {"pair-4096", pair_4096}, {"pair-100k", pair_100k},
    {"free-null", free_null}, {"calloc-64", calloc_64}, {"realloc-up", realloc_up},
    {"batch", batch},         {"remote", remote},
};

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: %s PATH ROUNDS\n", arguments[0]);
        return 2;
    }
    rounds = atol(arguments[2]);
    for (size_t index = 0; index < sizeof paths / sizeof paths[0]; index++) {
        if (strcmp(paths[index].name, arguments[1]) == 0) {
            paths[index].run();
            return 0;
        }
    }
    fprintf(stderr, "%s: no path '%s'\n", arguments[0], arguments[1]);
    return 2;
}
