/*
 * The stacks of parked and spare records in every order of their steps: nodes are popped by several
 * threads and pushed again, so a head may come back with another node below it (ABA).
 *
 * ck_stack_push_upmc and ck_stack_pop_mpmc, which hp_stack_push and hp_stack_pop call, are mirrored
 * line by line on the real types. What comes out of the search is held against hp_stack_pop itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "interleave_spec.h"
#include "platform/crossing.h"
#include "support/interleave.h"

enum { NODES = 3, THREADS = 3, JOBS = 5 };

typedef enum line {
    NEXT_JOB,
    POP_LOAD_GENERATION,
    POP_LOAD_HEAD,
    POP_LOAD_NEXT,
    POP_SWAP,
    PUSH_LOAD_HEAD,
    PUSH_SWAP
} line;

typedef enum job { END, POP, PUSH_FIRST, PUSH_LAST } job;

/* One thread is late with a pop, the others pop two and give back the first of them. */
static const job programs[THREADS][JOBS] = {
    {POP, END},
    {POP, POP, PUSH_FIRST, END},
    {POP, PUSH_LAST, POP, END},
};

typedef struct thread {
    line at;
    unsigned jobs_done;
    unsigned held_count;
    hp_stack_node *held[NODES];
    hp_stack_node *node;   /* that is pushed */
    hp_stack original;     /* as the pop saw it */
    hp_stack_node *update; /* the new head */
} thread;

static struct world {
    hp_stack stack;
    hp_stack_node nodes[NODES];
    thread threads[THREADS];
} world;

typedef enum mutation { NONE, POP_IGNORES_GENERATION } mutation;
static mutation wrong;

static void step_pop(thread *self)
{
    if (self->at == POP_LOAD_GENERATION) {
        self->original.generation = world.stack.generation;
        self->at = POP_LOAD_HEAD;
    } else if (self->at == POP_LOAD_HEAD) {
        self->original.head = world.stack.head;
        self->at = self->original.head == NULL ? NEXT_JOB : POP_LOAD_NEXT;
    } else if (self->at == POP_LOAD_NEXT) {
        self->update = hp_stack_next(self->original.head);
        self->at = POP_SWAP;
    } else {
        bool same = world.stack.head == self->original.head &&
                    (world.stack.generation == self->original.generation ||
                     wrong == POP_IGNORES_GENERATION);
        if (same) {
            uintptr_t generation = (uintptr_t)self->original.generation + 1;
            world.stack = (hp_stack){self->update, (char *)generation};
            self->held[self->held_count++] = self->original.head;
            self->at = NEXT_JOB;
        } else {
            self->original = world.stack;
            self->at = self->original.head == NULL ? NEXT_JOB : POP_LOAD_NEXT;
        }
    }
}

static void step_push(thread *self)
{
    if (self->at == PUSH_LOAD_HEAD) {
        self->original.head = world.stack.head;
        self->node->next = self->original.head;
        self->at = PUSH_SWAP;
    } else if (world.stack.head == self->original.head) {
        world.stack.head = self->node;
        self->node = NULL;
        self->at = NEXT_JOB;
    } else {
        self->at = PUSH_LOAD_HEAD;
    }
}

/* The node that the job pushes leaves the thread's hands; none when the pops came away empty. */
static bool begin_push(thread *self, unsigned index)
{
    if (self->held_count == 0) {
        return false;
    }
    self->node = self->held[index];
    self->held_count--;
    memmove(&self->held[index], &self->held[index + 1],
            (self->held_count - index) * sizeof self->held[0]);
    self->held[self->held_count] = NULL;
    return true;
}

static bool step(unsigned number)
{
    thread *self = &world.threads[number];
    job current = programs[number][self->jobs_done];
    if (self->at == NEXT_JOB) {
        bool pushes = current == PUSH_FIRST || current == PUSH_LAST;
        if (current == END ||
            (pushes && !begin_push(self, current == PUSH_FIRST ? 0 : self->held_count - 1))) {
            return false;
        }
        self->at = pushes ? PUSH_LOAD_HEAD : POP_LOAD_GENERATION;
    }
    if (self->at >= PUSH_LOAD_HEAD) {
        step_push(self);
    } else {
        step_pop(self);
    }
    if (self->at == NEXT_JOB) {
        self->jobs_done++;
        self->original = (hp_stack){NULL, NULL};
        self->update = NULL;
    }
    return true;
}

/* X1: every node is at exactly one place: on the stack, in a thread's hands, or about to be pushed. */
static const char *check(void)
{
    unsigned places[NODES] = {0};
    const hp_stack_node *node = world.stack.head;
    for (unsigned length = 0; node != NULL; length++, node = node->next) {
        if (length == NODES) {
            return "X1: the stack runs in a circle";
        }
        places[node - world.nodes]++;
    }
    for (unsigned number = 0; number < THREADS; number++) {
        const thread *self = &world.threads[number];
        for (unsigned index = 0; index < self->held_count; index++) {
            places[self->held[index] - world.nodes]++;
        }
        if (self->node != NULL) {
            places[self->node - world.nodes]++;
        }
    }
    for (unsigned index = 0; index < NODES; index++) {
        if (places[index] != 1) {
            return places[index] == 0 ? "X1: a node is lost" : "X1: a node has two holders";
        }
    }
    return NULL;
}

static const char *check_end(void)
{
    return check();
}

static void begin(void)
{
    memset(&world, 0, sizeof world);
    for (unsigned index = 0; index < NODES; index++) {
        hp_stack_push(&world.stack, &world.nodes[index]);
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
                                              .check_end = check_end});
}

static void in_no_order_a_parked_node_is_lost_or_has_two_holders(void **state)
{
    (void)state;
    expect_sound(run(NONE), 1000, 0);
}

static void a_pop_that_does_not_compare_the_generation_is_found(void **state)
{
    (void)state;
    expect_broken(run(POP_IGNORES_GENERATION));
}

static void the_real_pop_counts_generations_as_the_mirrored_one_does(void **state)
{
    (void)state;
    begin();
    uintptr_t before = (uintptr_t)world.stack.generation;

    hp_stack_node *node = hp_stack_pop(&world.stack);

    assert_ptr_equal(node, &world.nodes[NODES - 1]);
    assert_int_equal((uintptr_t)world.stack.generation, before + 1);
    hp_stack_push(&world.stack, node);
    assert_int_equal((uintptr_t)world.stack.generation, before + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_no_order_a_parked_node_is_lost_or_has_two_holders),
        cmocka_unit_test(a_pop_that_does_not_compare_the_generation_is_found),
        cmocka_unit_test(the_real_pop_counts_generations_as_the_mirrored_one_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
