#include "queue.h"

#include "memory.h"
#include "stress.h"

#include <sched.h>
#include <stdatomic.h>

typedef struct cell {
    _Atomic size_t turn;
    block item; /* belongs to the thread whose turn it is */
} cell;

struct queue {
    _Alignas(64) _Atomic size_t put_place;
    _Alignas(64) _Atomic size_t take_place;
    _Alignas(64) size_t capacity; /* constant */
    cell cells[];
};

static size_t queue_bytes(size_t capacity)
{
    return sizeof(queue) + capacity * sizeof(cell);
}

queue *queue_new(size_t capacity)
{
    queue *self = memory_map(queue_bytes(capacity));
    self->capacity = capacity;
    for (size_t place = 0; place < capacity; place++) {
        atomic_init(&self->cells[place].turn, place);
    }
    return self;
}

void queue_delete(queue *self)
{
    memory_unmap(self, queue_bytes(self->capacity));
}

/* Takes the next place of a side when its cell's turn is `place + ahead`; NULL when it is not. */
static cell *claim_place(queue *self, _Atomic size_t *side, size_t ahead, size_t *place)
{
    *place = atomic_load_explicit(side, memory_order_relaxed); /* relaxed: the turn decides */
    for (;;) {
        cell *found = &self->cells[*place & (self->capacity - 1)];
        size_t turn = atomic_load_explicit(&found->turn,
                                           memory_order_acquire); /* acquire: pairs with pass_on */
        if (turn == *place + ahead) {
            if (atomic_compare_exchange_weak_explicit(
                    side, place, *place + 1, memory_order_relaxed,
                    memory_order_relaxed)) { /* relaxed: the turn carries the order */
                return found;
            }
        } else if ((ptrdiff_t)(turn - (*place + ahead)) < 0) {
            return NULL;
        } else {
            *place = atomic_load_explicit(side, memory_order_relaxed); /* relaxed: a new attempt */
        }
    }
}

static void pass_on(cell *self, size_t turn)
{
    atomic_store_explicit(&self->turn, turn,
                          memory_order_release); /* release: pairs with claim_place */
}

bool queue_put(queue *self, const block *item)
{
    size_t place;
    cell *empty = claim_place(self, &self->put_place, 0, &place);
    if (empty == NULL) {
        return false;
    }
    empty->item = *item;
    pass_on(empty, place + 1);
    return true;
}

bool queue_take(queue *self, block *item)
{
    size_t place;
    cell *full = claim_place(self, &self->take_place, 1, &place);
    if (full == NULL) {
        return false;
    }
    *item = full->item;
    pass_on(full, place + self->capacity);
    return true;
}

void queue_put_waiting(queue *self, const block *item)
{
    while (!queue_put(self, item)) {
        sched_yield();
    }
}

size_t queue_free_all(queue *self)
{
    block item;
    size_t count = 0;
    for (; queue_take(self, &item); count++) {
        block_free(&item, "clearing a queue");
    }
    return count;
}
