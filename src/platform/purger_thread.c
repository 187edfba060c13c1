#define _GNU_SOURCE
#include "platform/purger_thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/compiler.h"

/* Of which little is touched; room for the program's exit handlers, should this be its last thread. */
#define STACK_BYTES ((size_t)128 << 10)

/* The thread that was alone when that was last known by us; 0: libc knows. Shared: relaxed, a number. */
static _Atomic uintptr_t only_thread;

bool hp_purger_thread_may_start(void)
{
    uintptr_t self = (uintptr_t)pthread_self();
    /* relaxed: a number that depends on nothing */
    uintptr_t only = atomic_load_explicit(&only_thread, memory_order_relaxed);
    if (only == 0 && hp_libc_counts_threads()) {
        return !hp_is_single_threaded();
    }
    if (only == 0) {
        /* relaxed: as above */
        atomic_store_explicit(&only_thread, self, memory_order_relaxed);
        return false;
    }
    return only != self;
}

/* Whoever happened to make it may be a real-time thread. Where the system refuses, it stays one. */
static void be_no_real_time_thread(void)
{
    int policy = sched_getscheduler(0);
    if (policy == SCHED_FIFO || policy == SCHED_RR) {
        struct sched_param none = {.sched_priority = 0};
        sched_setscheduler(0, SCHED_OTHER, &none);
    }
}

static void *run(void *body)
{
    prctl(PR_SET_NAME, "hepta-purger");
    be_no_real_time_thread();
    (*(void (**)(void))body)();
    return NULL;
}

/* A program with much thread-local data needs more stack than that: then as much as it gives its own. */
static bool create(void (*const *body)(void))
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    pthread_t thread;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    void *argument = (void *)(uintptr_t)body;
    bool small = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0;
    int error = pthread_create(&thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    if (error == EINVAL && small && pthread_attr_init(&attributes) == 0) {
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        error = pthread_create(&thread, &attributes, run, argument);
        pthread_attr_destroy(&attributes);
    }
    return error == 0;
}

bool hp_purger_thread_start(void (*body)(void))
{
    static void (*thread_body)(void); /* written before the thread that reads it is created */
    int saved_errno = errno;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    thread_body = body;
    bool started = false;
    if (pthread_sigmask(SIG_SETMASK, &all, &before) == 0) {
        started = create(&thread_body);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    errno = saved_errno;
    return started;
}

/* The directory has a link for each thread besides its own two. One that ended first of all counts to the end. */
bool hp_purger_thread_is_last(void)
{
    struct stat tasks;
    int saved_errno = errno;
    bool last = stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 2 + 2;
    errno = saved_errno;
    return last;
}

void hp_purger_thread_prepare_end(void)
{
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static void (*main_left)(void); /* NULL: nobody watches */
static pthread_key_t main_key;

static void call_main_left(void *value)
{
    (void)value;
    main_left();
}

void hp_purger_thread_watch_main(void (*left)(void))
{
    /* A library that another thread loads is not told of the main one. */
    if (syscall(SYS_gettid) == getpid() && pthread_key_create(&main_key, call_main_left) == 0) {
        main_left = left;
        pthread_setspecific(main_key, &main_left);
    }
}

void hp_purger_thread_after_fork(void)
{
    /* relaxed: there is one thread */
    atomic_store_explicit(&only_thread, (uintptr_t)pthread_self(), memory_order_relaxed);
    /* And it is the child's main thread, whichever of the parent's it was. */
    if (main_left != NULL) {
        pthread_setspecific(main_key, &main_left);
    }
}
