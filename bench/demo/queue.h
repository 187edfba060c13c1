/*
 * queue: a bounded queue of messages between the producers and one consumer.
 *
 * Messages cross in batches, so that one wake-up serves many and the queue does not hide what the
 * allocator costs.
 *
 * Owns: its slots; never a message.
 * Invariants: count <= QUEUE_SLOTS; a message is pushed once and popped once.
 * Threads: any number of both kinds.
 * Ordering: the mutex orders everything; what was written before a push is seen after the pop.
 * Progress: waits: a push for room, a pop for a message. That is what bounded means.
 * Used by: pipeline.c.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "message.h"

enum { QUEUE_SLOTS = 1024, QUEUE_BATCH = 32 };

typedef struct queue {
    _Alignas(2 * CACHE_LINE_BYTES) pthread_mutex_t lock;
    pthread_cond_t has_messages;
    pthread_cond_t has_room;
    size_t first; /* lock */
    size_t count; /* lock */
    bool closed;  /* lock */
    message *slots[QUEUE_SLOTS];
} queue;

void queue_init(queue *self);

/* Waits until there is room for all of the batch, at most QUEUE_BATCH messages. */
void queue_push(queue *self, message *const batch[], size_t count);

/* Waits for a message and takes up to QUEUE_BATCH; 0 when the queue is closed and empty. */
size_t queue_pop(queue *self, message *batch[QUEUE_BATCH]);

/* No push may follow queue_close() until queue_open(). */
void queue_close(queue *self);
void queue_open(queue *self);
