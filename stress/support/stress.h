/*
 * stress: the frame of a stress program: options, seed, time, failure, result line.
 *
 * Usage of every program: NAME [seed=N] [seconds=N] [threads=N] [watchdog=N] [bounded=0|1]
 *                              [live_mib=N] [destructor_round=N] [child_threads=0|1]
 *                              [shape=NAME]
 * A program begins with stress_start, lets its workers run in one or more stretches of
 * stress_open ... stress_close, and ends with stress_finish.
 *
 * Threads   stress_fail, stress_say, stress_open_now and the clock: any; everything else: the main thread.
 * Progress  stress_pass waits for the time asked for; nothing else waits.
 */
#pragma once

#include "worker.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STRESS_MIB = 1 << 20 };

typedef struct stress_options {
    const char *name;
    uint64_t seed;             /* 0 in the defaults: drawn anew for each run */
    double seconds;            /* for all stretches together */
    unsigned threads;          /* what it counts is said by the program */
    unsigned watchdog_seconds; /* a worker without progress for so long is a failure */
    bool bounded;              /* memory bounds are asserted; off where a sanitizer adds its own */
    size_t live_mib;           /* live set of the programs that assert a bound */
    unsigned destructor_round; /* of thread-specific data, in which churn's threads still free */
    bool child_threads;        /* fork_storm's children start threads */
    const char *shape;         /* NULL: all in turn */
} stress_options;

/* Reads the arguments over the defaults, prints the line to repeat the run with, starts the
 * watchdog. A key that the program gave no default for (0 or NULL) may still be set. */
stress_options stress_start(int argc, char **argv, stress_options defaults);

/* Workers go on for as long as the stretch is open. */
void stress_open(void);
void stress_pass(double seconds);
void stress_close(void);
bool stress_open_now(void);

/* As many workers of one role as the options say, for as long as they say; returns when each has ended. */
void stress_run_team(const char *role, worker_body *body);

double stress_now_seconds(void);

/* Adds what=count to the result line. */
void stress_note(const char *what, uint64_t count);

/* Prints the result line; the value is main's. */
int stress_finish(void);

/* dprintf without the allocator that dprintf's buffer would come from: the text is cut at 1,000
 * bytes and written at once. */
void stress_say(int file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One line on stderr with the seed, then abort. Calls no allocator. */
_Noreturn void stress_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fails when the process holds more than so many bytes and bounds are asserted in this run. */
void stress_expect_resident_below(size_t bound_bytes, const char *when);
