/*
 * refused: the system says no, and the allocator goes on working.
 *
 * RLIMIT_AS is lowered to a little above what the process has mapped. The workers fill that with
 * one size until they are refused: NULL and ENOMEM, old blocks untouched by a refused realloc.
 * Then they free each other's blocks in random order and ask for 64 KiB blocks, all at the same time
 * until they are refused, and one of them alone after that: nine tenths of what lay in small blocks
 * must be there for them. Then the limit is raised, by far more than an ordinary life of the workers
 * takes, and nothing of that may be refused. Each round takes another limit and another size. threads=
 * workers, live_mib= the highest limit above the start, and the raise.
 */
#include "support/block.h"
#include "support/memory.h"
#include "support/stress.h"
#include "support/worker.h"

#include <errno.h>
#include <hepta/hepta.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>

enum {
    SMALLEST_BYTES = 128,
    LARGE_BYTES = 64 << 10,
    ORDINARY_BLOCKS = 500,
    ORDINARY_LIMIT_BYTES = 100 << 10,
    JUDGED_FROM_BYTES = 16 * STRESS_MIB, /* below it, caches and metadata decide */
};

/* The blocks of one worker; another worker frees them. */
typedef struct heap {
    block *blocks; /* capacity of them */
    size_t count;
    size_t filled_bytes;   /* before the first refusal */
    size_t regained_bytes; /* in LARGE_BYTES, after all was freed */
} heap;

static heap heaps[WORKERS_AT_MOST];
static size_t capacity;
static unsigned members;
static pthread_barrier_t phase; /* of the workers and the main thread */
static size_t round_bytes;      /* constant between two phases; 0: no more rounds */

static void *request(size_t bytes)
{
    errno = 0;
    void *address = hepta_malloc(bytes);
    if (address == NULL && errno != ENOMEM) {
        stress_fail("refused with errno %d instead of ENOMEM", errno);
    }
    return address;
}

static void fill(worker *self, heap *mine)
{
    void *address;
    mine->count = 0;
    mine->filled_bytes = 0;
    while ((address = request(round_bytes)) != NULL) {
        if (mine->count == capacity) {
            stress_fail("no refusal in %zu blocks of %zu bytes", mine->count, round_bytes);
        }
        mine->blocks[mine->count++] = block_adopt(&self->stream, address, round_bytes, 16);
        mine->filled_bytes += round_bytes;
        worker_step(self);
    }
}

/* Far more than any limit here leaves, in every way that can be refused. */
static void insist(worker *self, const heap *mine)
{
    size_t much_bytes = ((size_t)1 << 30) + (size_t)chance_below(&self->stream, (size_t)1 << 30);
    void *untouched = &untouched;
    errno = 0;
    if (hepta_calloc(2, much_bytes) != NULL || errno != ENOMEM) {
        stress_fail("calloc beyond the limit did not fail with ENOMEM");
    }
    errno = 0;
    if (hepta_aligned_alloc(4096, much_bytes & ~(size_t)4095) != NULL || errno != ENOMEM) {
        stress_fail("aligned_alloc beyond the limit did not fail with ENOMEM");
    }
    if (hepta_posix_memalign(&untouched, 64, much_bytes) != ENOMEM || untouched != &untouched) {
        stress_fail("posix_memalign beyond the limit did not return ENOMEM and nothing else");
    }
    for (size_t index = 0; index < mine->count; index += 1 + mine->count / 16) {
        errno = 0;
        if (hepta_realloc(mine->blocks[index].address, much_bytes) != NULL || errno != ENOMEM) {
            stress_fail("realloc beyond the limit did not fail with ENOMEM");
        }
        block_check(&mine->blocks[index], "after a refused realloc");
        worker_step(self);
    }
}

static void free_in_random_order(worker *self, heap *others)
{
    for (size_t left = others->count; left > 0; left--) {
        size_t chosen = (size_t)chance_below(&self->stream, left);
        block_free(&others->blocks[chosen], "after a refusal");
        others->blocks[chosen] = others->blocks[left - 1];
        worker_step(self);
    }
    others->count = 0;
}

static void regain(worker *self, heap *mine)
{
    void *address;
    while (mine->count < capacity && (address = request(LARGE_BYTES)) != NULL) {
        mine->blocks[mine->count++] = block_adopt(&self->stream, address, LARGE_BYTES, 16);
        worker_step(self);
    }
    mine->regained_bytes = mine->count * LARGE_BYTES;
}

static void live_an_ordinary_life(worker *self, heap *mine)
{
    while (mine->count < ORDINARY_BLOCKS) {
        size_t bytes = chance_size_bytes(&self->stream, ORDINARY_LIMIT_BYTES);
        mine->blocks[mine->count++] = block_make(&self->stream, bytes);
        worker_step(self);
    }
    free_in_random_order(self, mine);
}

static void work(worker *self)
{
    heap *mine = &heaps[self->index];
    heap *others = &heaps[(self->index + 1) % members];
    for (pthread_barrier_wait(&phase); round_bytes != 0; pthread_barrier_wait(&phase)) {
        fill(self, mine);
        insist(self, mine);
        pthread_barrier_wait(&phase);
        free_in_random_order(self, others);
        pthread_barrier_wait(&phase);
        regain(self, mine);
        pthread_barrier_wait(&phase);
        if (self->index == 0) {
            regain(self,
                   mine); /* what the others were refused because somebody was at work on it */
        }
        pthread_barrier_wait(&phase);
        free_in_random_order(self, mine);
        pthread_barrier_wait(&phase);
        pthread_barrier_wait(&phase); /* the limit is raised */
        live_an_ordinary_life(self, mine);
        pthread_barrier_wait(&phase);
    }
}

/* Only the soft limit: it can be raised again. */
static void limit_address_space(rlim_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0) {
        stress_fail("getrlimit: %s", strerror(errno));
    }
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    if (setrlimit(RLIMIT_AS, &limit) != 0) {
        stress_fail("setrlimit: %s", strerror(errno));
    }
}

static void judge(bool bounded)
{
    size_t filled_bytes = 0;
    size_t regained_bytes = 0;
    for (unsigned index = 0; index < members; index++) {
        filled_bytes += heaps[index].filled_bytes;
        regained_bytes += heaps[index].regained_bytes;
    }
    if (bounded && filled_bytes >= JUDGED_FROM_BYTES && regained_bytes < filled_bytes / 10 * 9) {
        stress_fail("%zu MiB in blocks of %zu bytes were freed, only %zu MiB came back as 64 KiB",
                    filled_bytes / STRESS_MIB, round_bytes, regained_bytes / STRESS_MIB);
    }
}

/* The main thread's side of one round of work(). */
static void lead_round(size_t limit_bytes, size_t raised_bytes, size_t bytes, bool bounded)
{
    round_bytes = bytes;
    limit_address_space(limit_bytes);
    pthread_barrier_wait(&phase); /* now they fill */
    pthread_barrier_wait(&phase); /* free */
    pthread_barrier_wait(&phase); /* regain */
    pthread_barrier_wait(&phase); /* one of them alone */
    pthread_barrier_wait(&phase); /* free */
    judge(bounded);
    pthread_barrier_wait(&phase); /* wait */
    limit_address_space(raised_bytes);
    pthread_barrier_wait(&phase); /* live an ordinary life */
    pthread_barrier_wait(&phase); /* wait for the next round */
}

int main(int argc, char **argv)
{
    worker *team[WORKERS_AT_MOST];
    static const size_t sizes_bytes[] = {SMALLEST_BYTES, 1000, 5000, 40000, 300000};
    stress_options options = stress_start(
        argc, argv,
        (stress_options){.name = "refused", .seconds = 5, .threads = 10, .live_mib = 64});
    chance stream = chance_stream(options.seed, UINT64_MAX - 1);
    members = options.threads;
    size_t raised_bytes = 2 * options.live_mib * STRESS_MIB; /* above mapped_bytes */
    capacity = (raised_bytes + JUDGED_FROM_BYTES) / SMALLEST_BYTES;
    pthread_barrier_init(&phase, NULL, members + 1);
    for (unsigned index = 0; index < members; index++) {
        heaps[index].blocks = memory_map(capacity * sizeof(block));
        team[index] = worker_start("worker", index, work, NULL);
    }
    size_t mapped_bytes = memory_virtual_bytes();
    double end_seconds = stress_now_seconds() + options.seconds;
    size_t room_mib = options.live_mib;
    unsigned rounds = 0;
    for (; rounds == 0 || stress_now_seconds() < end_seconds; rounds++) {
        size_t kind = rounds == 0 ? 0 : (size_t)chance_below(&stream, 5);
        lead_round(mapped_bytes + room_mib * STRESS_MIB, mapped_bytes + raised_bytes,
                   sizes_bytes[kind], options.bounded);
        room_mib = (size_t)chance_below(&stream, options.live_mib + 1);
    }
    round_bytes = 0;
    pthread_barrier_wait(&phase);
    for (unsigned index = 0; index < members; index++) {
        worker_join(team[index]);
    }
    stress_note("rounds", rounds);
    return stress_finish();
}
