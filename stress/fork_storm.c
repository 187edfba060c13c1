/*
 * fork_storm: threads allocate and free at full rate while others fork.
 *
 * A child checks and frees what it inherited, from its own thread and from others, allocates,
 * resizes, starts a thread of its own now and then, forks a grandchild that does the same, and
 * ends with 0. vfork and posix_spawn are mixed in. A child that hangs is ended by its alarm, and
 * the storm fails. threads= allocating threads; two more fork.
 */
#include "support/block.h"
#include "support/queue.h"
#include "support/stress.h"
#include "support/worker.h"

#include <errno.h>
#include <hepta/hepta.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FORKERS = 2,
    MARKET_CAPACITY = 1024,
    ALLOCATOR_BLOCKS = 64,
    OWN_BLOCKS = 48,       /* of the forking thread, fresh for each fork */
    INHERITED_BLOCKS = 96, /* of another thread, older than the storm; live in every process */
    CHILD_BLOCKS = 200,
    BLOCK_LIMIT_BYTES = 256 << 10,
    CHILD_SECONDS = 20,
    GENERATIONS = 2,
};

static queue *market;
static block inherited[INHERITED_BLOCKS]; /* constant during the storm */
static bool child_threads;                /* constant during the storm */
static _Atomic uint64_t processes;        /* children of this process */
static char leaf_program[] = "/bin/true";

static size_t any_size_bytes(chance *stream)
{
    return chance_size_bytes(stream, BLOCK_LIMIT_BYTES);
}

static void make_inheritance(worker *self)
{
    for (unsigned index = 0; index < INHERITED_BLOCKS; index++) {
        inherited[index] = block_make(&self->stream, any_size_bytes(&self->stream));
    }
    worker_step(self);
}

static void allocate_at_full_rate(worker *self)
{
    block blocks[ALLOCATOR_BLOCKS] = {0};
    block others;
    while (stress_open_now()) {
        block *one = &blocks[chance_below(&self->stream, ALLOCATOR_BLOCKS)];
        if (one->address == NULL) {
            *one = block_make(&self->stream, any_size_bytes(&self->stream));
        } else {
            if (!queue_put(market, one)) {
                block_free(one, "an allocating thread");
            }
            one->address = NULL;
        }
        if (chance_one_in(&self->stream, 2) && queue_take(market, &others)) {
            block_free(&others, "another allocating thread");
        }
        worker_step(self);
    }
    for (unsigned index = 0; index < ALLOCATOR_BLOCKS; index++) {
        if (blocks[index].address != NULL) {
            block_free(&blocks[index], "the end");
        }
    }
}

/* Fails unless the process ended with 0. */
static void expect_success(pid_t process, const char *kind)
{
    int status;
    while (waitpid(process, &status, 0) != process) {
        if (errno != EINTR) {
            stress_fail("waitpid for a %s: %s", kind, strerror(errno));
        }
    }
    if (WIFSIGNALED(status)) {
        stress_fail("a %s was ended by signal %d%s", kind, WTERMSIG(status),
                    WTERMSIG(status) == SIGALRM ? ": it hung" : "");
    }
    if (WEXITSTATUS(status) != 0) {
        stress_fail("a %s ended with %d", kind, WEXITSTATUS(status));
    }
}

static pid_t expect_process(pid_t process, const char *kind)
{
    if (process < 0) {
        stress_fail("%s: %s", kind, strerror(errno));
    }
    return process;
}

static void *live_in_a_thread(void *argument)
{
    chance *stream = argument;
    for (unsigned count = 0; count < CHILD_BLOCKS; count++) {
        block one = block_make(stream, any_size_bytes(stream));
        block_free(&one, "a thread of a child");
    }
    return NULL;
}

static void start_a_thread(chance *stream)
{
    pthread_t thread;
    int error = pthread_create(&thread, NULL, live_in_a_thread, stream);
    if (error != 0 || (error = pthread_join(thread, NULL)) != 0) {
        stress_fail("a thread of a child: %s", strerror(error));
    }
}

static void resize(chance *stream, block *one)
{
    size_t bytes = any_size_bytes(stream);
    block_check(one, "a child's realloc");
    void *address = hepta_realloc(one->address, bytes);
    if (address != NULL) {
        block_check_moved(one, address, bytes, "after a child's realloc");
    }
    *one = block_adopt(stream, address, bytes, 16);
}

/* The blocks at first, first + step, ... */
static void free_some(block *blocks, unsigned count, unsigned first, unsigned step)
{
    for (unsigned index = first; index < count; index += step) {
        block_free(&blocks[index], "an heir in another process");
    }
}

/* Everything a child does. Generation 0 frees one half of what it inherited, 1 the other half. */
static void live(chance *stream, block *own, unsigned generation)
{
    block blocks[CHILD_BLOCKS];
    alarm(CHILD_SECONDS);
    free_some(inherited, INHERITED_BLOCKS, generation, GENERATIONS);
    free_some(own, OWN_BLOCKS, generation, GENERATIONS);
    for (unsigned index = 0; index < CHILD_BLOCKS; index++) {
        blocks[index] = block_make(stream, any_size_bytes(stream));
    }
    for (unsigned index = 0; index < CHILD_BLOCKS; index += 3) {
        resize(stream, &blocks[index]);
    }
    if (child_threads && chance_one_in(stream, 4)) {
        start_a_thread(stream);
    }
    if (generation + 1 < GENERATIONS) {
        pid_t grandchild = expect_process(fork(), "fork of a grandchild");
        if (grandchild == 0) {
            live(stream, own, generation + 1);
            _exit(0);
        }
        expect_success(grandchild, "grandchild");
    }
    free_some(blocks, CHILD_BLOCKS, 0, 1);
    hepta_malloc_trim(0);
}

static void fork_a_child(chance *stream, block *own)
{
    pid_t child = expect_process(fork(), "fork");
    if (child == 0) {
        live(stream, own, 0);
        _exit(0);
    }
    expect_success(child, "child");
}

/* The child borrows our memory and our thread until it has become another program. */
static void vfork_a_child(void)
{
    char *const arguments[] = {leaf_program, NULL};
    pid_t child = expect_process(vfork(), "vfork");
    if (child == 0) {
        execve(leaf_program, arguments, NULL);
        _exit(127);
    }
    expect_success(child, "child of vfork");
}

static void spawn_a_child(void)
{
    pid_t child;
    char *const arguments[] = {leaf_program, NULL};
    char *const environment[] = {NULL};
    int error = posix_spawn(&child, leaf_program, NULL, NULL, arguments, environment);
    if (error != 0) {
        stress_fail("posix_spawn: %s", strerror(error));
    }
    expect_success(child, "spawned child");
}

static void keep_forking(worker *self)
{
    block own[OWN_BLOCKS];
    while (stress_open_now()) {
        for (unsigned index = 0; index < OWN_BLOCKS; index++) {
            own[index] = block_make(&self->stream, any_size_bytes(&self->stream));
        }
        switch (chance_below(&self->stream, 8)) {
        case 0:
            vfork_a_child();
            break;
        case 1:
            spawn_a_child();
            break;
        default:
            fork_a_child(&self->stream, own);
        }
        free_some(own, OWN_BLOCKS, 0, 1);
        atomic_fetch_add_explicit(&processes, 1, memory_order_relaxed); /* relaxed: for people */
        worker_step(self);
    }
}

int main(int argc, char **argv)
{
    worker *team[WORKERS_AT_MOST];
    stress_options options = stress_start(
        argc, argv, (stress_options){.name = "fork_storm", .seconds = 5, .threads = 4});
    if (options.watchdog_seconds <= CHILD_SECONDS) {
        stress_fail("the watchdog must wait longer than the %d s of a child", CHILD_SECONDS);
    }
    child_threads = options.child_threads;
    market = queue_new(MARKET_CAPACITY);
    worker_join(worker_start("testator", 0, make_inheritance, NULL));
    stress_open();
    for (unsigned index = 0; index < options.threads; index++) {
        team[index] = worker_start("allocator", index, allocate_at_full_rate, NULL);
    }
    for (unsigned index = 0; index < FORKERS; index++) {
        team[options.threads + index] = worker_start("forker", index, keep_forking, NULL);
    }
    stress_pass(options.seconds);
    stress_close();
    for (unsigned index = 0; index < options.threads + FORKERS; index++) {
        worker_join(team[index]);
    }
    free_some(inherited, INHERITED_BLOCKS, 0, 1);
    queue_free_all(market);
    stress_note("children", atomic_load_explicit(&processes, memory_order_relaxed)); /* relaxed */
    return stress_finish();
}
