/*
 * scenarios: programs whose resident memory is told over time. bench/rss/rss.py says what each is judged by.
 *
 * A scenario runs once in its process. It waits for other threads at barriers; where it waits for the clock, the
 * time that passes is what it is about.
 *
 * Threads   main calls one of them.
 */
#pragma once

#include <stdbool.h>

typedef struct rss_plan {
    double scale;     /* of memory and of work */
    unsigned idle_ms; /* how long nobody calls malloc or free before the last point */
    unsigned seconds; /* of what is paced by the clock */
    bool allocates;   /* false: threads that do not, to compare with */
} rss_plan;

typedef void scenario(const rss_plan *plan);

scenario burst;         /* bursts.c */
scenario service;       /* bursts.c */
scenario survivors_200; /* survivors.c */
scenario survivors_64;
scenario sleeper;      /* handed.c */
scenario free_only;    /* handed.c */
scenario idle_threads; /* threads.c */
scenario block_threads;
scenario churn;
scenario sawtooth; /* heaps.c */
scenario shifting;
scenario fork_child; /* processes.c */
scenario buffers;    /* buffers.c */
