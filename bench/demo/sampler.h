/*
 * sampler: a thread that writes down, every 50 ms, what the process holds, and shows it.
 *
 * It reads /proc through open files and formats on its stack: it never calls malloc or free, and
 * can neither disturb what it measures nor wake an allocator in the idle phase.
 *
 * Owns: the CSV file and the line on stderr.
 * Threads: sampler_start(), sampler_set_phase() and sampler_stop() by the conductor.
 * Ordering: sampler_stop() joins the thread. The phase's name is a string constant, handed over
 *     through one atomic pointer.
 * Used by: pipeline.c.
 */
#pragma once

#include <stdint.h>

#include "worker.h"

enum { SAMPLER_INTERVAL_MS = 50 };

typedef struct sampler_plan {
    const char *label;      /* the name of the allocator, for the line on stderr */
    const char *csv_path;   /* NULL: no file */
    const char *first_line; /* a comment for the file's first line */
    const char *first_phase;
    uint64_t begin_ns; /* zero of the time axis */
    worker *workers;
    unsigned worker_count;
} sampler_plan;

typedef struct process_status {
    uint64_t rss_kib;
    uint64_t peak_rss_kib;
    uint64_t threads;
} process_status;

void sampler_start(const sampler_plan *plan);
void sampler_set_phase(const char *name);
void sampler_stop(void);

/* What the kernel counts for this process, from /proc/self/status. Calls no malloc. */
process_status process_status_read(void);
