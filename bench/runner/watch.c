/*
 * watch: runs a program on an allocator, and writes down from outside how its memory goes.
 *
 * watch SERIES INTERVAL_MS PROGRAM [ARGUMENT...]
 *
 * PROGRAM runs with LD_PRELOAD=$BENCH_PRELOAD, unless that is empty. Every INTERVAL_MS a line goes to the file
 * SERIES: milliseconds since the start, resident KiB, live KiB. The last comes from a page that the program
 * shares: its file descriptor is in WATCH_PAGE, bench/rss/gauge.c writes to it. In the process itself there is
 * neither a thread nor memory of the observer's, but this page.
 *
 * At the end watch prints `peak_rss_kib=1234` and ends as the program did.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, TEXT_BYTES = 128, NS_PER_MS = 1000000, MS_PER_S = 1000 };

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "watch: %s: %s\n", what, strerror(errno));
    exit(2);
}

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * MS_PER_S + (double)time.tv_nsec / NS_PER_MS;
}

static _Noreturn void become(char **command, int page)
{
    char number[TEXT_BYTES];
    snprintf(number, sizeof number, "%d", page);
    setenv("WATCH_PAGE", number, 1);
    const char *preload = getenv("BENCH_PRELOAD");
    if (preload != NULL && preload[0] != '\0') {
        setenv("LD_PRELOAD", preload, 1);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv(command[0], command);
    _exit(127);
}

/* The second number of statm is the resident set in pages. A process that has ended has none. */
static size_t resident_kib(int statm)
{
    char text[TEXT_BYTES];
    ssize_t length = pread(statm, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    const char *second = strchr(text, ' ');
    return second == NULL ? 0 : strtoul(second, NULL, 10) * (size_t)(sysconf(_SC_PAGESIZE) >> 10);
}

static int open_statm(pid_t child)
{
    char name[TEXT_BYTES];
    snprintf(name, sizeof name, "/proc/%d/statm", (int)child);
    int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        fail(name);
    }
    return file;
}

/* Samples until the child has ended: SIGCHLD, which is blocked, ends the wait for the next sample. */
static int sample(FILE *series, pid_t child, const _Atomic size_t *live, long interval_ms,
                  const sigset_t *signals, struct rusage *usage)
{
    int statm = open_statm(child);
    double begin = now_ms();
    struct timespec interval = {.tv_sec = interval_ms / MS_PER_S,
                                .tv_nsec = interval_ms % MS_PER_S * NS_PER_MS};
    int status = 0;
    while (wait4(child, &status, WNOHANG, usage) == 0) {
        size_t rss_kib = resident_kib(statm);
        if (rss_kib != 0) {
            /* relaxed: a sum that is looked at now and then */
            fprintf(series, "%.0f %zu %zu\n", now_ms() - begin, rss_kib,
                    atomic_load_explicit(live, memory_order_relaxed) >> 10);
        }
        sigtimedwait(signals, NULL, &interval);
    }
    close(statm);
    return status;
}

int main(int count, char **arguments)
{
    if (count < 4) {
        fputs("usage: watch SERIES INTERVAL_MS PROGRAM [ARGUMENT...]\n", stderr);
        return 2;
    }
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int page = memfd_create("watch", 0);
    if (page < 0 || ftruncate(page, PAGE_BYTES) != 0) {
        fail("a page to share");
    }
    void *live = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, page, 0);
    FILE *series = fopen(arguments[1], "we");
    long interval_ms = strtol(arguments[2], NULL, 10);
    if (live == MAP_FAILED || series == NULL || interval_ms < 1) {
        fail("preparing");
    }
    pid_t child = fork();
    if (child < 0) {
        fail("fork");
    }
    if (child == 0) {
        become(arguments + 3, page);
    }
    struct rusage usage = {0};
    int status = sample(series, child, live, interval_ms, &signals, &usage);
    if (fclose(series) != 0) {
        fail(arguments[1]);
    }
    printf("peak_rss_kib=%ld\n", usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
