#include "watchdog.h"

#include "stress.h"
#include "worker.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS_PER_SECOND = 4, DUMP_SECONDS = 60, STACK_NS = 250000000 };

typedef struct sighting {
    uint64_t operations;
    double since_seconds;
} sighting;

static unsigned patience_seconds;
static pthread_t thread;
static sem_t stop_wanted;
static sem_t stack_printed;

/* Waits for the semaphore until so many nanoseconds from now; false when nobody posted. */
static bool wait_for(sem_t *semaphore, long nanoseconds)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += nanoseconds;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    while (sem_timedwait(semaphore, &end) != 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

static void print_own_stack(int number)
{
    void *frames[64];
    int saved_errno = errno;
    (void)number;
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    sem_post(&stack_printed);
    errno = saved_errno;
}

/* The first lines of a file of /proc that fit on one line of output. */
static void print_file(const char *tid, const char *name)
{
    char path[64];
    char text[160];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/%s", tid, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0) {
        close(file);
    }
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    stress_say(STDERR_FILENO, " %s", text);
}

static void print_thread(const char *tid)
{
    stress_say(STDERR_FILENO, "thread %s:", tid);
    print_file(tid, "stat");
    print_file(tid, "wchan");
    stress_say(STDERR_FILENO, "\n");
    long number = strtol(tid, NULL, 10);
    if (number == syscall(SYS_gettid)) {
        return;
    }
    if (syscall(SYS_tgkill, getpid(), number, SIGUSR2) != 0 ||
        !wait_for(&stack_printed, STACK_NS)) {
        stress_say(STDERR_FILENO, "    (no stack from this one)\n");
    }
}

/* getdents64 by hand: opendir would call the allocator that may be what hangs. */
static void print_threads(void)
{
    static _Alignas(8) char entries[65536];
    enum { RECORD_LENGTH_AT = 16, NAME_AT = 19 };
    int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long length;
    while ((length = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
        for (long at = 0; at < length;) {
            uint16_t record_bytes;
            memcpy(&record_bytes, entries + at + RECORD_LENGTH_AT, sizeof record_bytes);
            if (entries[at + NAME_AT] != '.') {
                print_thread(entries + at + NAME_AT);
            }
            at += record_bytes;
        }
    }
}

static void print_workers(const sighting *last, double now_seconds)
{
    for (unsigned place = 0; place < WORKERS_AT_MOST; place++) {
        const worker *one = worker_at(place);
        if (one != NULL) {
            stress_say(STDERR_FILENO, "%s %u: %" PRIu64 " operations, the last %.1f s ago\n",
                       one->role, one->index, last[place].operations,
                       now_seconds - last[place].since_seconds);
        }
    }
}

static void end_program(const sighting *last, unsigned stuck, double now_seconds)
{
    const worker *one = worker_at(stuck);
    alarm(DUMP_SECONDS);
    print_workers(last, now_seconds);
    print_threads();
    stress_fail("no progress of %s %u for %u s", one == NULL ? "a worker" : one->role,
                one == NULL ? stuck : one->index, patience_seconds);
}

static void look(sighting *last, double now_seconds)
{
    for (unsigned place = 0; place < WORKERS_AT_MOST; place++) {
        worker *one = worker_at(place);
        uint64_t operations =
            one == NULL ? 0
                        : atomic_load_explicit(&one->operations,
                                               memory_order_relaxed); /* relaxed: only compared */
        bool resting = one == NULL || atomic_load_explicit(&one->state, memory_order_relaxed) ==
                                          WORKER_RESTING; /* relaxed: a late look is as good */
        if (resting || operations != last[place].operations) {
            last[place] = (sighting){.operations = operations, .since_seconds = now_seconds};
        } else if (now_seconds - last[place].since_seconds > patience_seconds) {
            end_program(last, place, now_seconds);
        }
    }
}

static void *watch(void *argument)
{
    static sighting last[WORKERS_AT_MOST];
    (void)argument;
    prctl(PR_SET_NAME, "watchdog");
    for (unsigned place = 0; place < WORKERS_AT_MOST; place++) {
        last[place].since_seconds = stress_now_seconds();
    }
    while (!wait_for(&stop_wanted, 1000000000 / LOOKS_PER_SECOND)) {
        look(last, stress_now_seconds());
    }
    return NULL;
}

void watchdog_start(unsigned seconds)
{
    void *frame;
    struct sigaction action = {.sa_handler = print_own_stack, .sa_flags = SA_RESTART};
    patience_seconds = seconds;
    backtrace(&frame, 1); /* the first call loads a library: not in a handler, please */
    sem_init(&stop_wanted, 0, 0);
    sem_init(&stack_printed, 0, 0);
    sigaction(SIGUSR2, &action, NULL);
    int error = pthread_create(&thread, NULL, watch, NULL);
    if (error != 0) {
        stress_fail("pthread_create for the watchdog: %s", strerror(error));
    }
}

void watchdog_stop(void)
{
    sem_post(&stop_wanted);
    pthread_join(thread, NULL);
}
