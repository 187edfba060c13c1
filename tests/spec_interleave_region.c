/*
 * The claim and the pending list of a region in every order of their steps.
 *
 * The functions of region.c cannot be called in parts, so their lines are mirrored here, with their
 * names; what the lines call is real: the claim, the stack, the BFC core and its check.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena/region.h"
#include "interleave_spec.h"
#include "support/interleave.h"

enum { PAGES = 8, THREADS = 3, NOBODY = THREADS };

typedef enum line {
    ALLOCATE_CLAIM,
    FREE_CLAIM,
    PUSH,
    TAKE_PENDING,
    WORK_IN,
    OWN_WORK,
    PUBLISH,
    RELEASE,
    LOOK_AFTER_PUSH,
    LOOK_AFTER_RELEASE,
    CLAIM_AGAIN,
    FINISHED
} line;

typedef struct thread {
    line at;
    bool frees; /* what it claimed the region for */
    bool again; /* it claims only to work in what was left meanwhile */
    uint32_t chunk;
    hp_stack_node *node;
} thread;

static struct world {
    hp_region region;
    hp_bfc_chunk table[PAGES];
    hp_stack_node links[PAGES];
    thread threads[THREADS];
    unsigned holder; /* who works under the claim, as it sees itself */
    const char *broken;
} world;

/* Each of these is wrong on purpose. */
typedef enum mutation { NONE, WORKS_WITHOUT_CLAIM, FREED_AND_LEFT_AS_A_NOTE } mutation;
static mutation wrong;

/* A free leaves the pending list alone; whoever allocates or looks again works it in. */
static line after_claim(const thread *self)
{
    return self->frees && !self->again ? OWN_WORK : TAKE_PENDING;
}

static void enter(unsigned number)
{
    if (world.holder != NOBODY) {
        world.broken = "C1: two threads work under one claim";
    }
    world.holder = number;
    world.threads[number].at = after_claim(&world.threads[number]);
}

/* One node of work_in_pending. */
static void work_in(thread *self)
{
    hp_region *region = &world.region;
    hp_stack_node *node = self->node;
    uint32_t chunk = (uint32_t)(node - region->pending_links);
    self->node = hp_stack_next(node);
    if (region->bfc.chunks[chunk].state != HP_BFC_USED) {
        world.broken = "R2: a chunk waits that is free already";
        return;
    }
    hp_bfc_free(&region->bfc, chunk, 1);
    self->at = self->node == NULL ? OWN_WORK : WORK_IN;
}

/* A free leaves its run among the recent ones, or pushes another out when all places are taken. */
static void free_run(hp_region *region, uint32_t chunk)
{
    uint32_t pushed_out =
        hp_recent_put(&region->recent, chunk, region->bfc.chunks[chunk].page_count);
    if (pushed_out != HP_BFC_NONE) {
        hp_bfc_free(&region->bfc, pushed_out, 1);
    }
}

static uint32_t allocate_run(hp_region *region)
{
    uint32_t chunk = hp_recent_take(&region->recent, &region->bfc, 2, 1);
    return chunk != HP_BFC_NONE ? chunk : hp_bfc_allocate(&region->bfc, 2, 1);
}

static void own_work(thread *self)
{
    hp_region *region = &world.region;
    if (self->again) {
        self->at = PUBLISH;
        return;
    }
    if (self->frees) {
        free_run(region, self->chunk);
        if (wrong == FREED_AND_LEFT_AS_A_NOTE) {
            hp_stack_push(&region->pending, &region->pending_links[self->chunk]);
        }
    } else {
        self->chunk = allocate_run(region);
    }
    self->at = PUBLISH;
}

static void publish_summary(void)
{
    hp_region *region = &world.region;
    atomic_store(&region->largest_free_pages, hp_bfc_largest_free_pages(&region->bfc));
    atomic_store(&region->free_pages, region->bfc.free_pages);
}

static line after_release(thread *self)
{
    bool done = self->frees || self->chunk == HP_BFC_NONE;
    return done ? FINISHED : FREE_CLAIM;
}

/* What leave_note and hp_region_release do when they are done. */
static void look_again(unsigned number)
{
    thread *self = &world.threads[number];
    hp_region *region = &world.region;
    if (self->at == LOOK_AFTER_PUSH) {
        self->at = hp_claim_is_taken(&region->claim) ? FINISHED : CLAIM_AGAIN;
    } else if (self->at == LOOK_AFTER_RELEASE) {
        self->at = hp_stack_is_empty(&region->pending) ? after_release(self) : CLAIM_AGAIN;
    } else if (hp_claim_try(&region->claim)) {
        self->again = true;
        enter(number);
    } else {
        self->at = after_release(self);
    }
}

/* Allocates two pages, then frees them: hp_region_claim .. hp_region_release, hp_region_free. */
static bool step(unsigned number)
{
    thread *self = &world.threads[number];
    hp_region *region = &world.region;
    switch (self->at) {
    case ALLOCATE_CLAIM:
        self->at = FINISHED; /* busy: another region, which is not part of this */
        if (hp_claim_try(&region->claim) || wrong == WORKS_WITHOUT_CLAIM) {
            enter(number);
        }
        return true;
    case FREE_CLAIM:
        self->at = PUSH;
        self->frees = true;
        if (hp_claim_try(&region->claim)) {
            enter(number);
        }
        return true;
    case PUSH:
        hp_stack_push(&region->pending, &region->pending_links[self->chunk]);
        self->at = LOOK_AFTER_PUSH;
        return true;
    case TAKE_PENDING:
        self->node = hp_stack_take_all(&region->pending);
        self->at = self->node == NULL ? OWN_WORK : WORK_IN;
        return true;
    case WORK_IN:
        work_in(self);
        return true;
    case OWN_WORK:
        own_work(self);
        return true;
    case PUBLISH:
        publish_summary();
        world.holder = NOBODY;
        self->at = RELEASE;
        return true;
    case RELEASE:
        hp_claim_release(&region->claim);
        self->at = self->again ? after_release(self) : LOOK_AFTER_RELEASE;
        self->again = false;
        return true;
    case LOOK_AFTER_PUSH:
    case LOOK_AFTER_RELEASE:
    case CLAIM_AGAIN:
        look_again(number);
        return true;
    case FINISHED:
        return false;
    }
    return false;
}

/* The core is whole whenever nobody works on it, and no two threads hold the same pages. */
static const char *check(void)
{
    const char *broken = world.broken;
    if (broken == NULL && world.holder == NOBODY) {
        broken = hp_bfc_check(&world.region.bfc);
    }
    if (broken == NULL && world.holder == NOBODY) {
        broken = hp_recent_check(&world.region.recent, &world.region.bfc);
    }
    return broken;
}

static const char *check_end(void)
{
    hp_region *region = &world.region;
    if (!hp_claim_try(&region->claim)) {
        return "the claim was never released";
    }
    thread next = {.node = hp_stack_take_all(&region->pending)};
    for (unsigned steps = 0; next.node != NULL && world.broken == NULL; steps++) {
        work_in(&next);
        if (steps > PAGES) {
            return "the pending list is torn";
        }
    }
    for (uint32_t chunk; (chunk = hp_recent_take_any(&region->recent)) != HP_BFC_NONE;) {
        hp_bfc_free(&region->bfc, chunk, 1);
    }
    if (hp_bfc_largest_free_pages(&region->bfc) != PAGES) {
        return "R2: a freed chunk is neither free nor waiting";
    }
    return world.broken;
}

static void begin(void)
{
    memset(&world, 0, sizeof world);
    hp_bfc_init(&world.region.bfc, world.table, PAGES);
    world.region.pending_links = world.links;
    world.holder = NOBODY;
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

static void in_no_order_two_threads_hold_the_claim_or_a_free_is_lost(void **state)
{
    (void)state;
    expect_sound(run(NONE), 1000, 10);
}

static void then_it_is_found(mutation chosen)
{
    expect_broken(run(chosen));
}

static void work_without_the_claim_is_found(void **state)
{
    (void)state;
    then_it_is_found(WORKS_WITHOUT_CLAIM);
}

static void a_free_that_is_also_left_as_a_note_is_found(void **state)
{
    (void)state;
    then_it_is_found(FREED_AND_LEFT_AS_A_NOTE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_no_order_two_threads_hold_the_claim_or_a_free_is_lost),
        cmocka_unit_test(work_without_the_claim_is_found),
        cmocka_unit_test(a_free_that_is_also_left_as_a_note_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
