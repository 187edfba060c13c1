/*
 * churn: threads are born and die all the time, with live blocks that others inherit.
 *
 * Lives: leaving blocks behind; a first call that is free; passing inherited blocks on through
 * realloc; never allocating, but freeing and allocating in the last round of thread-specific-data
 * destructors, when the allocator's own teardown may be over. The blocks of the dead lie in a
 * market of bounded size, so resident memory is bounded too. threads= parents; each has up to
 * CHILDREN children at a time.
 */
#include "support/block.h"
#include "support/queue.h"
#include "support/stress.h"
#include "support/worker.h"

#include <hepta/hepta.h>
#include <pthread.h>
#include <string.h>

enum {
    CHILDREN = 3,
    MARKET_CAPACITY = 4096,
    BLOCK_LIMIT_BYTES = 32 << 10,
    ESTATE_BLOCKS = 300,
    LAST_FREES = 160, /* more than any cache of seven holds, or of 128 */
    LOOP_BLOCK_BYTES = 1090,
    SLACK_BYTES = 64 * STRESS_MIB,
};

typedef struct child child;
typedef void life(child *self);

struct child {
    pthread_t thread;
    life *life;
    chance stream;
    unsigned rounds; /* of destructors that were run */
    size_t kept;     /* blocks it never allocated, to be freed at its very end */
    block keeps[LAST_FREES];
};

static queue *market;
static pthread_key_t last_key;
static unsigned last_round; /* constant while threads run */

static void offer(const block *one)
{
    if (!queue_put(market, one)) {
        block_free(one, "the market is full");
    }
}

static void leave_blocks_behind(child *self)
{
    for (size_t count = chance_below(&self->stream, ESTATE_BLOCKS); count > 0; count--) {
        block one = block_make(&self->stream, chance_size_bytes(&self->stream, BLOCK_LIMIT_BYTES));
        offer(&one);
    }
}

/* The second half is the loop in which an allocator that did not start fully on free never
 * collects: only one size, all freed before the next turn. */
static void begin_with_free(child *self)
{
    block one;
    for (size_t count = 1 + chance_below(&self->stream, ESTATE_BLOCKS); count > 0; count--) {
        if (queue_take(market, &one)) {
            block_free(&one, "a first call");
        }
    }
    for (unsigned count = 0; count < LAST_FREES; count++) {
        self->keeps[count] = block_make(&self->stream, LOOP_BLOCK_BYTES);
    }
    for (unsigned count = 0; count < LAST_FREES; count++) {
        block_free(&self->keeps[count], "a loop after a first call of free");
    }
}

static void pass_on_resized(child *self)
{
    block old;
    for (size_t count = 1 + chance_below(&self->stream, ESTATE_BLOCKS); count > 0; count--) {
        if (queue_take(market, &old)) {
            size_t bytes = chance_size_bytes(&self->stream, BLOCK_LIMIT_BYTES);
            block_check(&old, "before an heir's realloc");
            void *address = hepta_realloc(old.address, bytes);
            if (address != NULL) {
                block_check_moved(&old, address, bytes, "after an heir's realloc");
            }
            block resized = block_adopt(&self->stream, address, bytes, 16);
            offer(&resized);
        }
    }
}

static void free_at_the_very_end(child *self)
{
    self->kept = 0;
    while (self->kept < LAST_FREES && queue_take(market, &self->keeps[self->kept])) {
        self->kept++;
    }
    self->rounds = 0;
    int error = pthread_setspecific(last_key, self);
    if (error != 0) {
        stress_fail("pthread_setspecific: %s", strerror(error));
    }
}

/* Asks for another round until the last one. There it frees what the thread kept, allocates for
 * the first time in the thread's life, and leaves some of that behind. */
static void destroy_in_last_round(void *argument)
{
    child *self = argument;
    if (++self->rounds < last_round) {
        pthread_setspecific(last_key, self);
        return;
    }
    while (self->kept > 0) {
        block_free(&self->keeps[--self->kept], "the last destructor round");
    }
    for (size_t count = chance_below(&self->stream, LAST_FREES); count > 0; count--) {
        block one = block_make(&self->stream, chance_size_bytes(&self->stream, BLOCK_LIMIT_BYTES));
        if (chance_one_in(&self->stream, 2)) {
            block_free(&one, "the last destructor round");
        } else {
            offer(&one);
        }
    }
}

static void *live(void *argument)
{
    child *self = argument;
    self->life(self);
    return NULL;
}

static void bear(worker *parent, child *self)
{
    static life *const lives[] = {leave_blocks_behind, leave_blocks_behind, begin_with_free,
                                  pass_on_resized, free_at_the_very_end};
    self->life = lives[chance_below(&parent->stream, sizeof lives / sizeof lives[0])];
    self->stream = chance_stream(chance_next(&parent->stream), 0);
    int error = pthread_create(&self->thread, NULL, live, self);
    if (error != 0) {
        stress_fail("pthread_create for a child: %s", strerror(error));
    }
}

static void have_children(worker *self)
{
    static child nursery[WORKERS_AT_MOST][CHILDREN];
    child *children = nursery[self->index];
    while (stress_open_now()) {
        size_t count = 1 + chance_below(&self->stream, CHILDREN);
        for (size_t index = 0; index < count; index++) {
            bear(self, &children[index]);
        }
        for (size_t index = 0; index < count; index++) {
            int error = pthread_join(children[index].thread, NULL);
            if (error != 0) {
                stress_fail("pthread_join of a child: %s", strerror(error));
            }
            worker_step(self);
        }
    }
}

int main(int argc, char **argv)
{
    stress_options options =
        stress_start(argc, argv, (stress_options){.name = "churn", .seconds = 5, .threads = 4});
    market = queue_new(MARKET_CAPACITY);
    last_round = options.destructor_round;
    int error = pthread_key_create(&last_key, destroy_in_last_round);
    if (error != 0) {
        stress_fail("pthread_key_create: %s", strerror(error));
    }
    stress_run_team("parent", have_children);
    queue_free_all(market);
    /* Half the blocks of a full market are below 256 bytes; their mean is well below 4 KiB. */
    stress_expect_resident_below(2 * MARKET_CAPACITY * (size_t)4096 + SLACK_BYTES, "at the end");
    return stress_finish();
}
