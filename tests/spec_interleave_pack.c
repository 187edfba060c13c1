/*
 * The stacks of packs in every order of their steps: packs are popped by several threads and pushed again with
 * others below them, while one thread takes all and puts them back.
 *
 * The lines of hp_pack_pop, hp_pack_push_chain and hp_pack_take_all are mirrored here on the real types; each step
 * is one access to what is shared. The words are made by the functions that the library makes them by.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "interleave_spec.h"
#include "owner/pack.h"
#include "support/interleave.h"

enum { PACKS = 3, THREADS = 3, JOBS = 5 };

typedef enum job { END, POP, PUSH_FIRST, PUSH_LAST, TAKE_ALL, PUT_BACK } job;

/* One thread is late with a pop, one pops two and gives back the first, one takes all and puts them back. */
static const job programs[THREADS][JOBS] = {
    {POP, PUSH_LAST, END},
    {POP, POP, PUSH_FIRST, END},
    {TAKE_ALL, PUT_BACK, POP, END},
};

typedef enum line {
    NEXT_JOB,
    POP_LOAD_TOP,
    POP_LOAD_BELOW,
    POP_SWAP,
    PUSH_LOAD_TOP,
    PUSH_STORE_BELOW,
    PUSH_SWAP,
    TAKE_LOAD_TOP,
    TAKE_SWAP
} line;

static const line first_lines[] = {NEXT_JOB,      POP_LOAD_TOP,  PUSH_LOAD_TOP,
                                   PUSH_LOAD_TOP, TAKE_LOAD_TOP, PUSH_LOAD_TOP};

/* Packs are told by their names; 0: none. */
typedef struct thread {
    line at;
    unsigned jobs_done;
    unsigned held_count;
    uint64_t held[PACKS];
    uint64_t chain_first; /* what is pushed */
    uint64_t chain_last;
    uint64_t chain; /* what take_all took */
    uint64_t top;   /* the stack's word as it was read */
    uint64_t below;
} thread;

static struct world {
    uint64_t top;
    uint64_t below[PACKS + 1];
    thread threads[THREADS];
} world;

typedef enum mutation { NONE, POP_COMPARES_THE_NAME_ONLY, PUSH_DOES_NOT_COUNT } mutation;
static mutation wrong;

static bool is_same(uint64_t word)
{
    return wrong == POP_COMPARES_THE_NAME_ONLY
               ? (world.top & HP_PACK_NAME_MASK) == (word & HP_PACK_NAME_MASK)
               : world.top == word;
}

static void step_pop(thread *self)
{
    if (self->at == POP_LOAD_TOP) {
        self->top = world.top;
        self->at = (self->top & HP_PACK_NAME_MASK) == 0 ? NEXT_JOB : POP_LOAD_BELOW;
    } else if (self->at == POP_LOAD_BELOW) {
        self->below = world.below[self->top & HP_PACK_NAME_MASK];
        self->at = POP_SWAP;
    } else if (is_same(self->top)) {
        self->held[self->held_count++] = self->top & HP_PACK_NAME_MASK;
        world.top = hp_pack_word_popped(self->top, self->below);
        self->at = NEXT_JOB;
    } else {
        self->top = world.top;
        self->at = (self->top & HP_PACK_NAME_MASK) == 0 ? NEXT_JOB : POP_LOAD_BELOW;
    }
}

static void step_push(thread *self)
{
    if (self->at == PUSH_LOAD_TOP) {
        self->top = world.top;
        self->at = PUSH_STORE_BELOW;
    } else if (self->at == PUSH_STORE_BELOW) {
        world.below[self->chain_last] = self->top & HP_PACK_NAME_MASK;
        self->at = PUSH_SWAP;
    } else if (world.top == self->top) {
        world.top = wrong == PUSH_DOES_NOT_COUNT
                        ? hp_pack_word_popped(self->top, self->chain_first)
                        : hp_pack_word_pushed(self->top, self->chain_first);
        self->chain_first = 0;
        self->chain_last = 0;
        self->at = NEXT_JOB;
    } else {
        self->top = world.top;
        self->at = PUSH_STORE_BELOW;
    }
}

static void step_take(thread *self)
{
    if (self->at == TAKE_LOAD_TOP) {
        self->top = world.top;
        self->at = TAKE_SWAP;
    } else if (world.top == self->top) {
        world.top = hp_pack_word_popped(self->top, 0);
        self->chain = self->top & HP_PACK_NAME_MASK;
        self->at = NEXT_JOB;
    } else {
        self->top = world.top;
    }
}

static bool begin_push_of_held(thread *self, unsigned index)
{
    if (self->held_count == 0) {
        return false;
    }
    self->chain_first = self->held[index];
    self->chain_last = self->chain_first;
    self->held_count--;
    memmove(&self->held[index], &self->held[index + 1],
            (self->held_count - index) * sizeof self->held[0]);
    self->held[self->held_count] = 0;
    return true;
}

static bool begin_put_back(thread *self)
{
    if (self->chain == 0) {
        return false;
    }
    self->chain_first = self->chain;
    self->chain_last = self->chain;
    while (world.below[self->chain_last] != 0) {
        self->chain_last = world.below[self->chain_last];
    }
    self->chain = 0;
    return true;
}

/* False: there is nothing for this job to push. */
static bool begin_job(thread *self, job next)
{
    self->at = first_lines[next];
    switch (next) {
    case PUSH_FIRST:
        return begin_push_of_held(self, 0);
    case PUSH_LAST:
        return begin_push_of_held(self, self->held_count - 1);
    case PUT_BACK:
        return begin_put_back(self);
    default:
        return true;
    }
}

static bool step(unsigned number)
{
    thread *self = &world.threads[number];
    while (self->at == NEXT_JOB) {
        job next = programs[number][self->jobs_done];
        if (next == END) {
            return false;
        }
        if (!begin_job(self, next)) {
            self->at = NEXT_JOB;
            self->jobs_done++;
        }
    }
    if (self->at >= TAKE_LOAD_TOP) {
        step_take(self);
    } else if (self->at >= PUSH_LOAD_TOP) {
        step_push(self);
    } else {
        step_pop(self);
    }
    if (self->at == NEXT_JOB) {
        self->jobs_done++;
        self->top = 0;
        self->below = 0;
    }
    return true;
}

/* Counts the packs of a chain; false: it runs in a circle. */
static bool count_chain(uint64_t name, uint64_t last, unsigned *places)
{
    for (unsigned length = 0; name != 0; length++) {
        if (length == PACKS) {
            return false;
        }
        places[name]++;
        name = name == last ? 0 : world.below[name];
    }
    return true;
}

/* K1: every pack is at exactly one place: on the stack, in a thread's hands, or in a chain that is moved. */
static const char *check(void)
{
    unsigned places[PACKS + 1] = {0};
    bool straight = count_chain(world.top & HP_PACK_NAME_MASK, 0, places);
    for (unsigned number = 0; number < THREADS; number++) {
        const thread *self = &world.threads[number];
        straight = straight && count_chain(self->chain_first, self->chain_last, places) &&
                   count_chain(self->chain, 0, places);
        for (unsigned index = 0; index < self->held_count; index++) {
            places[self->held[index]]++;
        }
    }
    if (!straight) {
        return "K1: a stack runs in a circle";
    }
    for (unsigned name = 1; name <= PACKS; name++) {
        if (places[name] != 1) {
            return places[name] == 0 ? "K1: a pack is lost" : "K1: a pack has two holders";
        }
    }
    return NULL;
}

static void begin(void)
{
    memset(&world, 0, sizeof world);
    for (uint64_t name = 1; name <= PACKS; name++) {
        world.below[name] = world.top & HP_PACK_NAME_MASK;
        world.top = hp_pack_word_pushed(world.top, name);
    }
}

static interleave_result run(mutation chosen)
{
    wrong = chosen;
    return interleave_run(&(interleave_model){.world = &world,
                                              .world_bytes = sizeof world,
                                              .thread_count = THREADS,
                                              .begin = begin,
                                              .step = step,
                                              .check = check,
                                              .check_end = check});
}

static void in_no_order_a_pack_is_lost_or_has_two_holders(void **state)
{
    (void)state;
    expect_sound(run(NONE), 1000, 10);
}

static void a_pop_that_compares_the_name_only_is_found(void **state)
{
    (void)state;
    expect_broken(run(POP_COMPARES_THE_NAME_ONLY));
}

static void a_push_that_does_not_count_is_found(void **state)
{
    (void)state;
    expect_broken(run(PUSH_DOES_NOT_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_no_order_a_pack_is_lost_or_has_two_holders),
        cmocka_unit_test(a_pop_that_compares_the_name_only_is_found),
        cmocka_unit_test(a_push_that_does_not_count_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
