/* consumer: checks messages, keeps them for a while, and frees them. */
#include "clock.h"
#include "pipeline.h"

enum { KEPT_ONE_IN = 20 };

static void list_append(message_list *list, message *added)
{
    added->next = NULL;
    if (list->last == NULL) {
        list->first = added;
    } else {
        list->last->next = added;
    }
    list->last = added;
    list->count++;
}

static message *list_take_first(message_list *list)
{
    message *taken = list->first;
    if (taken != NULL) {
        list->first = taken->next;
        list->last = list->first == NULL ? NULL : list->last;
        list->count--;
    }
    return taken;
}

/* Checks a message when it comes, and frees the one that came a window before it. */
static void consume(consumer *self, message *subject)
{
    message_check(subject);
    message_use_scratch(self->worker, subject);
    message **place = &self->window[self->window_next];
    self->window_next = (self->window_next + 1) % pipeline.options.window_messages;
    if (*place != NULL) {
        message_free(self->worker, *place);
    }
    *place = subject;
    worker_count_message(self->worker);
}

static void put_aside(consumer *self, message *subject)
{
    list_append(&self->backlog, subject);
    worker_count_message(self->worker);
}

static void consume_until_closed(consumer *self, void (*take)(consumer *, message *))
{
    message *batch[QUEUE_BATCH];
    for (size_t taken; (taken = queue_pop(&self->source, batch)) > 0;) {
        for (size_t i = 0; i < taken; i++) {
            take(self, batch[i]);
        }
    }
}

static void drain_one(consumer *self)
{
    message *subject = list_take_first(&self->backlog);
    message_check(subject);
    message_use_scratch(self->worker, subject);
    if (self->drained++ % KEPT_ONE_IN == 0) {
        list_append(&self->kept, subject);
    } else {
        message_free(self->worker, subject);
    }
    worker_count_message(self->worker);
}

/* Works off the backlog: after each slice of time, as many messages as are due by then. */
static void drain(consumer *self, uint64_t duration_ms)
{
    uint64_t total = self->backlog.count;
    uint64_t begin_ns = clock_now_ns();
    for (uint64_t at_ms = 0; at_ms < duration_ms;) {
        at_ms = at_ms + PACE_SLICE_MS < duration_ms ? at_ms + PACE_SLICE_MS : duration_ms;
        clock_wait_until_ns(begin_ns + at_ms * NS_PER_MS);
        uint64_t due = total * at_ms / duration_ms;
        while (total - self->backlog.count < due) {
            drain_one(self);
        }
    }
}

static void release_everything(consumer *self)
{
    for (uint64_t i = 0; i < pipeline.options.window_messages; i++) {
        if (self->window[i] != NULL) {
            message_check(self->window[i]);
            message_free(self->worker, self->window[i]);
            self->window[i] = NULL;
        }
    }
    for (message *subject; (subject = list_take_first(&self->kept)) != NULL;) {
        message_check(subject);
        message_free(self->worker, subject);
    }
}

void *consumer_run(void *argument)
{
    consumer *self = argument;
    for (int number = 0; number < PHASES; number++) {
        const phase *now = &pipeline.phases[number];
        gate_enter(&pipeline.gate, number);
        if (now->kind == STEADY) {
            consume_until_closed(self, consume);
        } else if (now->kind == BURST) {
            consume_until_closed(self, put_aside);
        } else if (now->kind == DRAIN) {
            drain(self, now->duration_ms);
        } else if (now->kind == RELEASE) {
            release_everything(self);
        }
        gate_leave(&pipeline.gate, GATE_CONSUMERS);
    }
    return NULL;
}
