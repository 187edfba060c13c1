/*
 * The purger at work in a process: usage: purger SCENARIO, or joins OPERATIONS. What it waits for is the clock, so it looks again and
 * again until something is so, or too much time has passed.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "load.h"
#include "scene.h"
#include "tasks.h"

enum { DECAY_MS = 1000, RETRY_MS = 10000 };

__attribute__((noreturn)) static void *sleep_for_ever(void *argument)
{
    pthread_barrier_t *done = argument;
    allocate_all(NULL);
    pthread_barrier_wait(done);
    for (;;) {
        pause();
    }
}

/* So far above what it was before the load. */
static void expect_to_fall(size_t base_kib, const char *sentence)
{
    double begin_ms = now_ms();
    while (resident_kib() > base_kib + 8 * KIB) {
        if (now_ms() - begin_ms > 3 * DECAY_MS) {
            fail("not so: %s: %zu KiB after %d ms, %zu before", sentence, resident_kib(),
                 3 * DECAY_MS, base_kib);
        }
        pause_ms(20);
    }
    dprintf(STDOUT_FILENO, "%s: after %.0f ms\n", sentence, now_ms() - begin_ms);
}

/* ---- scenarios ---- */

static void falls_after_a_burst(void)
{
    size_t base_kib = resident_kib();
    in_a_thread(burst);
    expect_to_fall(base_kib, "the resident set falls after a burst, without a further call");
}

static void *work_with_few_large_blocks(void *argument)
{
    enum { LARGE_BLOCKS = 25, LARGE_BYTES = 4000000 };
    void *large[LARGE_BLOCKS];
    for (unsigned index = 0; index < LARGE_BLOCKS; index++) {
        large[index] = memset(malloc(LARGE_BYTES), 1, LARGE_BYTES);
    }
    for (unsigned index = 0; index < LARGE_BLOCKS; index++) {
        free(large[index]);
    }
    return argument;
}

static void falls_after_few_calls(void)
{
    size_t base_kib = resident_kib();
    in_a_thread(work_with_few_large_blocks);
    expect_to_fall(base_kib, "the resident set falls after fifty calls about 100 MB");
}

static void falls_when_the_owner_sleeps(void)
{
    size_t base_kib = resident_kib();
    pthread_barrier_t done;
    pthread_t sleeper;
    pthread_barrier_init(&done, NULL, 2);
    expect(pthread_create(&sleeper, NULL, sleep_for_ever, &done) == 0, "a thread can be started");
    pthread_barrier_wait(&done);
    in_a_thread(free_all);
    expect_to_fall(base_kib, "what another thread freed goes back while its owner sleeps");
}

/* What main has allocated before there is a second thread, that one frees; nobody allocates afterwards. */
static void falls_when_only_frees_follow(void)
{
    size_t base_kib = resident_kib();
    allocate_all(NULL);
    in_a_thread(free_all);
    expect_to_fall(base_kib, "what another thread has freed goes back, whoever allocates no more");
}

static void *do_nothing(void *argument)
{
    return argument;
}

/* libc cannot keep all the stacks: it frees what the threads had under a lock of its own, and one free ticks. */
static void joins_threads(unsigned long operations)
{
    enum { STACKS = 12 };
    pthread_t threads[STACKS];
    while (operations-- > 0) {
        blocks[0] = malloc(BLOCK_BYTES);
    }
    for (unsigned index = 0; index < STACKS; index++) {
        pthread_create(&threads[index], NULL, do_nothing, NULL);
    }
    for (unsigned index = 0; index < STACKS; index++) {
        pthread_join(threads[index], NULL);
    }
}

static void idles_without_a_wakeup(void)
{
    in_a_thread(burst);
    long purger = tasks().purger;
    expect(purger != 0, "a process with two threads has a purger");
    unsigned long long switches;
    double begin_ms = now_ms();
    do {
        expect(now_ms() - begin_ms < 60000, "the purger comes to rest");
        switches = purger_status(purger, "voluntary_ctxt_switches:", 10);
        pause_ms(1500);
    } while (purger_status(purger, "voluntary_ctxt_switches:", 10) != switches);
    write(STDERR_FILENO, "idle\n", 5);
    pause_ms(3000);
    write(STDERR_FILENO, "end\n", 4);
    expect(purger_status(purger, "voluntary_ctxt_switches:", 10) == switches,
           "the purger of an idle process is never scheduled");
}

static void takes_no_signals(void)
{
    in_a_thread(burst);
    unsigned long long wanted = 0;
    for (int number = 1; number < 32; number++) {
        wanted |= number == SIGKILL || number == SIGSTOP ? 0 : 1ull << (number - 1);
    }
    expect((purger_status(tasks().purger, "SigBlk:", 16) & wanted) == wanted,
           "the purger blocks every signal");
}

static void slow_operation(size_t bytes)
{
    free(memset(malloc(bytes), 1, bytes));
    pause_ms(1);
}

static void falls_by_slow_operations(void)
{
    size_t base_kib = resident_kib();
    burst(NULL);
    double begin_ms = now_ms();
    while (resident_kib() > base_kib + 8 * KIB && now_ms() - begin_ms < 4 * DECAY_MS) {
        slow_operation(40000);
    }
    expect(resident_kib() <= base_kib + 8 * KIB, "slow operations return memory");
}

static void has_no_thread(void)
{
    falls_by_slow_operations();
    expect(tasks().count == 1, "a process with one thread gets no other");
}

static void has_no_thread_but_two_of_its_own(void)
{
    in_a_thread(burst);
    has_no_thread();
}

static void comes_again_after_fork(void)
{
    in_a_thread(burst);
    pid_t child = fork();
    if (child == 0) {
        burst(NULL);
        expect(tasks().count == 1, "a child with one thread has no purger");
        size_t base_kib = resident_kib();
        in_a_thread(burst);
        expect(tasks().purger != 0, "a child with two threads gets one");
        expect_to_fall(base_kib, "in the child too");
        _exit(0);
    }
    int status;
    expect(waitpid(child, &status, 0) == child && status == 0, "the child comes down as well");
}

static void *outlive_main(void *argument)
{
    pause_ms(200);
    return burst(argument);
}

static void ends_with_the_last_thread(void)
{
    in_a_thread(burst);
    pthread_t thread;
    expect(pthread_create(&thread, NULL, outlive_main, NULL) == 0, "a thread can be started");
    pthread_exit(NULL);
}

static void *leave_a_child(void *argument)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        ends_with_the_last_thread();
    }
    int status;
    expect(waitpid(child, &status, 0) == child && status == 0,
           "the child ends with its last thread");
    return argument;
}

/* The child's main thread is not the one that was the parent's. */
static void child_of_a_thread_ends(void)
{
    in_a_thread(leave_a_child);
}

static void works_without_its_thread(void)
{
    expect(setuid(65534) == 0, "the user can be changed");
    pthread_barrier_t done;
    pthread_t sleeper;
    pthread_barrier_init(&done, NULL, 2);
    expect(pthread_create(&sleeper, NULL, sleep_for_ever, &done) == 0, "a thread can be started");
    struct rlimit before;
    getrlimit(RLIMIT_NPROC, &before);
    struct rlimit none = {0, before.rlim_max};
    setrlimit(RLIMIT_NPROC, &none);
    pthread_barrier_wait(&done);
    errno = EDOM;
    burst(NULL);
    expect(errno == EDOM, "errno is kept when the system refuses a thread");
    falls_by_slow_operations();
    setrlimit(RLIMIT_NPROC, &before);
    double begin_ms = now_ms();
    while (tasks().purger == 0 && now_ms() - begin_ms < 2 * RETRY_MS) {
        /* Of another length each time: a block that was just freed would come back without much ado. */
        slow_operation(300000 + (size_t)now_ms() % 64 * 4096);
    }
    expect(tasks().purger != 0, "a thread that was refused is asked for again");
}

static void rests_when_memory_is_locked(void)
{
    expect(mlockall(MCL_CURRENT | MCL_FUTURE) == 0, "memory can be locked");
    idles_without_a_wakeup();
}

static void trims(void)
{
    size_t base_kib = resident_kib();
    in_a_thread(burst);
    expect(resident_kib() > base_kib + 20 * KIB, "with decay_ms:-1 the memory stays");
    expect(malloc_trim(0) == 1, "malloc_trim says that it returned memory");
    expect(resident_kib() < base_kib + 8 * KIB, "malloc_trim returns it");
    expect(tasks().count == 1, "nobody purges where nothing decays");
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } scenarios[] = {
        {"burst", falls_after_a_burst},
        {"sleeper", falls_when_the_owner_sleeps},
        {"frees", falls_when_only_frees_follow},
        {"idle", idles_without_a_wakeup},
        {"signals", takes_no_signals},
        {"single", has_no_thread},
        {"off", has_no_thread_but_two_of_its_own},
        {"fork", comes_again_after_fork},
        {"main_leaves", ends_with_the_last_thread},
        {"fork_leaves", child_of_a_thread_ends},
        {"few", falls_after_few_calls},
        {"refused", works_without_its_thread},
        {"locked", rests_when_memory_is_locked},
        {"trim", trims},
    };
    if (count > 2) {
        joins_threads(strtoul(arguments[2], NULL, 10));
        return 0;
    }
    for (size_t row = 0; count > 1 && row < sizeof scenarios / sizeof *scenarios; row++) {
        if (strcmp(arguments[1], scenarios[row].name) == 0) {
            scenarios[row].run();
            return 0;
        }
    }
    fail("usage: purger SCENARIO | purger joins OPERATIONS");
}
