/*
 * pipeline: what the conductor, the producers and the consumers share.
 *
 * Owns: the static records below; nothing on the heap but the messages.
 * Threads: `pipeline.options` and `pipeline.phases` are constant once the threads run; a producer's
 *     and a consumer's state belongs to its thread; queues and gate guard themselves.
 * Used by: pipeline.c (conductor), producer.c, consumer.c.
 */
#pragma once

#include <stdatomic.h>

#include "gate.h"
#include "message.h"
#include "options.h"
#include "queue.h"
#include "worker.h"

/* What the workers do in a phase; in WAIT nothing. */
typedef enum phase_kind { STEADY, BURST, WAIT, DRAIN, RELEASE } phase_kind;

typedef struct phase {
    const char *name;
    phase_kind kind;
    uint64_t duration_ms; /* 0: as long as it takes */
} phase;

typedef struct producer {
    worker *worker;
    uint64_t number;
    uint64_t next_id;
    uint64_t next_queue;
} producer;

typedef struct message_list {
    message *first;
    message *last;
    uint64_t count;
} message_list;

typedef struct consumer {
    worker *worker;
    queue source;
    message *window[WINDOW_MAX_MESSAGES]; /* a ring of the latest; NULL where there is none yet */
    uint64_t window_next;
    uint64_t drained;
    message_list backlog;
    message_list kept;
} consumer;

enum { PHASES = 7, PACE_SLICE_MS = 10 };

typedef struct pipeline_state {
    pipeline_options options;
    phase phases[PHASES];
    gate gate;
    atomic_bool stop_producing;            /* ends a steady phase; set by the conductor */
    worker workers[2 * GROUP_MAX_THREADS]; /* the producers', then the consumers' */
    producer producers[GROUP_MAX_THREADS];
    consumer consumers[GROUP_MAX_THREADS];
} pipeline_state;

extern pipeline_state pipeline;

/* Thread functions; the argument is the thread's producer or consumer. */
void *producer_run(void *argument);
void *consumer_run(void *argument);
