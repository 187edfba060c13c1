#include "stress.h"

#include "chance.h"
#include "memory.h"
#include "watchdog.h"
#include "worker.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static stress_options options; /* written before the first worker starts, then only read */
static double started_seconds;
static _Atomic bool open_now;
static char notes[128];

double stress_now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint64_t fresh_seed(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t moment = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    return 1 + chance_mix(moment ^ chance_mix((uint64_t)getpid())) % UINT32_MAX;
}

static _Noreturn void usage(const char *argument)
{
    stress_say(STDERR_FILENO,
               "%s: cannot use '%s'\nusage: %s [seed=N] [seconds=N] [threads=N] [watchdog=N] "
               "[bounded=0|1] [live_mib=N] [destructor_round=N] "
               "[child_threads=0|1] [shape=NAME]\n",
               options.name, argument, options.name);
    exit(2);
}

/* The value behind "key=", or NULL when the argument has another key. */
static const char *value_of(const char *argument, const char *key)
{
    size_t length = strlen(key);
    bool same = strncmp(argument, key, length) == 0 && argument[length] == '=';
    return same ? argument + length + 1 : NULL;
}

static unsigned long number(const char *argument, const char *value, unsigned long most)
{
    char *end;
    errno = 0;
    unsigned long result = strtoul(value, &end, 10);
    if (end == value || *end != '\0' || errno != 0 || value[0] == '-' || result > most) {
        usage(argument);
    }
    return result;
}

static double positive_seconds(const char *argument, const char *value)
{
    char *end;
    double result = strtod(value, &end);
    if (end == value || *end != '\0' || !(result > 0.0 && result < 1e6)) {
        usage(argument);
    }
    return result;
}

static void read_argument(const char *argument)
{
    const char *value;
    if ((value = value_of(argument, "seed")) != NULL) {
        options.seed = number(argument, value, ULONG_MAX);
    } else if ((value = value_of(argument, "seconds")) != NULL) {
        options.seconds = positive_seconds(argument, value);
    } else if ((value = value_of(argument, "threads")) != NULL) {
        options.threads = (unsigned)number(argument, value, WORKERS_AT_MOST / 2);
    } else if ((value = value_of(argument, "watchdog")) != NULL) {
        options.watchdog_seconds = (unsigned)number(argument, value, 100000);
    } else if ((value = value_of(argument, "bounded")) != NULL) {
        options.bounded = number(argument, value, 1) == 1;
    } else if ((value = value_of(argument, "live_mib")) != NULL) {
        options.live_mib = number(argument, value, 1 << 20);
    } else if ((value = value_of(argument, "destructor_round")) != NULL) {
        options.destructor_round = (unsigned)number(argument, value, PTHREAD_DESTRUCTOR_ITERATIONS);
    } else if ((value = value_of(argument, "child_threads")) != NULL) {
        options.child_threads = number(argument, value, 1) == 1;
    } else if ((value = value_of(argument, "shape")) != NULL) {
        options.shape = value;
    } else {
        usage(argument);
    }
}

stress_options stress_start(int argc, char **argv, stress_options defaults)
{
    options = defaults;
    options.bounded = true;
    options.child_threads = true;
    options.destructor_round = PTHREAD_DESTRUCTOR_ITERATIONS;
    options.watchdog_seconds = 30;
    for (int index = 1; index < argc; index++) {
        read_argument(argv[index]);
    }
    if (options.threads == 0 || options.watchdog_seconds == 0) {
        usage("threads=0 or watchdog=0");
    }
    if (options.seed == 0) {
        options.seed = fresh_seed();
    }
    started_seconds = stress_now_seconds();
    stress_say(STDOUT_FILENO,
               "%s: seed=%" PRIu64 " seconds=%g threads=%u bounded=%d live_mib=%zu\n", options.name,
               options.seed, options.seconds, options.threads, options.bounded, options.live_mib);
    worker_seed(options.seed);
    watchdog_start(options.watchdog_seconds);
    return options;
}

void stress_open(void)
{
    atomic_store_explicit(&open_now, true, memory_order_relaxed); /* relaxed: a hint to go on */
}

void stress_pass(double seconds)
{
    double end = stress_now_seconds() + seconds;
    struct timespec moment = {.tv_sec = (time_t)end};
    moment.tv_nsec = (long)((end - (double)moment.tv_sec) * 1e9);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL) == EINTR) {
    }
}

void stress_close(void)
{
    atomic_store_explicit(&open_now, false, memory_order_relaxed); /* relaxed: join orders data */
}

void stress_run_team(const char *role, worker_body *body)
{
    static worker *team[WORKERS_AT_MOST];
    stress_open();
    for (unsigned index = 0; index < options.threads; index++) {
        team[index] = worker_start(role, index, body, NULL);
    }
    stress_pass(options.seconds);
    stress_close();
    for (unsigned index = 0; index < options.threads; index++) {
        worker_join(team[index]);
    }
}

bool stress_open_now(void)
{
    return atomic_load_explicit(&open_now, memory_order_relaxed); /* relaxed: guards no data */
}

void stress_note(const char *what, uint64_t count)
{
    size_t length = strlen(notes);
    snprintf(notes + length, sizeof notes - length, " %s=%" PRIu64, what, count);
}

int stress_finish(void)
{
    watchdog_stop();
    uint64_t operations = worker_operations_of_all();
    if (operations == 0) {
        stress_fail("not a single operation was done");
    }
    stress_say(STDOUT_FILENO,
               "%s: ok seed=%" PRIu64 " operations=%" PRIu64 " seconds=%.1f rss_mib=%zu%s\n",
               options.name, options.seed, operations, stress_now_seconds() - started_seconds,
               memory_resident_bytes() / STRESS_MIB, notes);
    return 0;
}

void stress_say(int file, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t left = length < (int)sizeof text ? (size_t)length : sizeof text - 1;
    for (const char *from = text; left > 0;) {
        ssize_t written = write(file, from, left);
        if (written < 0) {
            return;
        }
        from += written;
        left -= (size_t)written;
    }
}

void stress_fail(const char *format, ...)
{
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    stress_say(STDERR_FILENO, "%s: FAILED seed=%" PRIu64 ": %s\n", options.name, options.seed,
               reason);
    abort();
}

void stress_expect_resident_below(size_t bound_bytes, const char *when)
{
    size_t resident_bytes = memory_resident_bytes();
    if (options.bounded && resident_bytes > bound_bytes) {
        stress_fail("%s: %zu MiB resident, the bound is %zu MiB", when, resident_bytes / STRESS_MIB,
                    bound_bytes / STRESS_MIB);
    }
}
