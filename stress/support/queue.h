/*
 * queue: a bounded queue of blocks for any number of putters and takers.
 *
 * It orders as little as it can: a taker sees what the putter of the same block did before, and
 * nothing else. A mutex or a semaphore would order the threads of a stress program on every
 * operation, and ThreadSanitizer would then find no order missing in the allocator.
 *
 * Invariants  1  a cell's turn is its place (empty in this lap), place + 1 (full) or place +
 *                capacity (empty for the next lap).
 * Threads     put and take: any; new and delete: alone.
 * Ordering    release of the turn by a putter, acquire of it by the taker; the same back, so that
 *             the block of the next lap is not written before the last one is read.
 * Progress    put and take do not wait, but a putter that stops between its two steps makes its
 *             cell look full to its takers; put_waiting yields until there is room.
 */
#pragma once

#include "block.h"
#include "worker.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct queue queue;

/* The capacity is a power of two. */
queue *queue_new(size_t capacity);
void queue_delete(queue *self);

/* False when the queue is full. */
bool queue_put(queue *self, const block *item);

/* False when the queue is empty. */
bool queue_take(queue *self, block *item);

void queue_put_waiting(queue *self, const block *item);

/* Frees all that is in the queue; returns how many blocks that were. */
size_t queue_free_all(queue *self);
