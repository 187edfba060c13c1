#include "queue.h"

void queue_init(queue *self)
{
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->has_messages, NULL);
    pthread_cond_init(&self->has_room, NULL);
    self->first = 0;
    self->count = 0;
    self->closed = false;
}

void queue_push(queue *self, message *const batch[], size_t count)
{
    pthread_mutex_lock(&self->lock);
    while (self->count + count > QUEUE_SLOTS) {
        pthread_cond_wait(&self->has_room, &self->lock);
    }
    for (size_t i = 0; i < count; i++) {
        self->slots[(self->first + self->count + i) % QUEUE_SLOTS] = batch[i];
    }
    bool was_empty = self->count == 0;
    self->count += count;
    pthread_mutex_unlock(&self->lock);
    if (was_empty) {
        pthread_cond_signal(&self->has_messages);
    }
}

size_t queue_pop(queue *self, message *batch[QUEUE_BATCH])
{
    pthread_mutex_lock(&self->lock);
    while (self->count == 0 && !self->closed) {
        pthread_cond_wait(&self->has_messages, &self->lock);
    }
    size_t taken = self->count < QUEUE_BATCH ? self->count : QUEUE_BATCH;
    for (size_t i = 0; i < taken; i++) {
        batch[i] = self->slots[(self->first + i) % QUEUE_SLOTS];
    }
    self->first = (self->first + taken) % QUEUE_SLOTS;
    size_t before = self->count;
    self->count -= taken;
    /* Producers are woken at the half-way mark: woken for each batch, they would find room for one
     * batch only and sleep again. */
    bool crossed_half = before > QUEUE_SLOTS / 2 && self->count <= QUEUE_SLOTS / 2;
    pthread_mutex_unlock(&self->lock);
    if (crossed_half) {
        pthread_cond_broadcast(&self->has_room);
    }
    return taken;
}

static void set_closed(queue *self, bool closed)
{
    pthread_mutex_lock(&self->lock);
    self->closed = closed;
    pthread_mutex_unlock(&self->lock);
    pthread_cond_broadcast(&self->has_messages);
}

void queue_close(queue *self)
{
    set_closed(self, true);
}

void queue_open(queue *self)
{
    set_closed(self, false);
}
