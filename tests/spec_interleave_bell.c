/*
 * The bell and the word that says who is watched, in every order of their steps: no work is left behind while
 * the purger sleeps.
 *
 * The lines of hp_inbox_post, hp_owner_watch, the pass of an owner and the purger's loop are mirrored here, as
 * each function of theirs is one access to what is shared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "interleave_spec.h"
#include "support/interleave.h"

enum { POSTERS = 2, PURGER = POSTERS, THREADS = POSTERS + 1, POSTS = 2 };

typedef enum bell { AWAKE, RUNG, ASLEEP } bell;

typedef enum line {
    POST,
    SEE_WATCHED,
    WATCH,
    RING,
    HEAR,
    DRAIN,
    BEGIN_PASS,
    END_PASS,
    REST,
    WAIT,
    FINISHED
} line;

typedef struct thread {
    line at;
    unsigned posts_left;
    bool saw_watched;
    bool found;
} thread;

static struct world {
    _Atomic uint32_t bell;
    _Atomic uint32_t watched;
    _Atomic uint32_t work;
    thread threads[THREADS];
} world;

/* Each of these is wrong on purpose. */
typedef enum mutation {
    NONE,
    LOOKS_BEFORE_IT_POSTS,
    ENDS_WITHOUT_A_LAST_LOOK,
    RESTS_WITHOUT_LISTENING,
    HEARS_AFTER_LOOKING
} mutation;
static mutation wrong;

static void go_on_posting(thread *self)
{
    self->posts_left--;
    self->at = self->posts_left == 0 ? FINISHED : POST;
}

static bool post(thread *self)
{
    switch (self->at) {
    case POST:
        if (wrong == LOOKS_BEFORE_IT_POSTS && !self->found) {
            self->saw_watched = atomic_load(&world.watched) != 0;
            self->found = true;
            return true;
        }
        self->found = false;
        atomic_fetch_add(&world.work, 1);
        self->at = SEE_WATCHED;
        return true;
    case SEE_WATCHED:
        if (wrong != LOOKS_BEFORE_IT_POSTS) {
            self->saw_watched = atomic_load(&world.watched) != 0;
        }
        self->at = WATCH;
        if (self->saw_watched) {
            go_on_posting(self);
        }
        return true;
    case WATCH:
        self->at = RING;
        if (atomic_exchange(&world.watched, 1) != 0) {
            go_on_posting(self);
        }
        return true;
    case RING:
        /* The system call is not modelled: who waits sees that the word has changed. */
        atomic_exchange(&world.bell, RUNG);
        go_on_posting(self);
        return true;
    default:
        return false;
    }
}

static bool purge(thread *self)
{
    switch (self->at) {
    case HEAR:
        atomic_exchange(&world.bell, AWAKE);
        self->at = wrong == HEARS_AFTER_LOOKING && self->found ? REST : DRAIN;
        return true;
    case DRAIN:
        atomic_exchange(&world.work, 0);
        self->at = BEGIN_PASS;
        return true;
    case BEGIN_PASS:
        atomic_exchange(&world.watched, 0);
        self->at = END_PASS;
        return true;
    case END_PASS:
        if ((wrong != ENDS_WITHOUT_A_LAST_LOOK && atomic_fetch_add(&world.work, 0) != 0) ||
            atomic_load(&world.watched) != 0) {
            atomic_store(&world.watched, 1);
            self->at = HEAR;
            return true;
        }
        self->found = wrong == HEARS_AFTER_LOOKING;
        self->at = self->found ? HEAR : REST;
        return true;
    case REST: {
        uint32_t awake = AWAKE;
        self->found = false;
        self->at = HEAR;
        if (wrong == RESTS_WITHOUT_LISTENING) {
            atomic_store(&world.bell, ASLEEP);
            self->at = WAIT;
        } else if (atomic_compare_exchange_strong(&world.bell, &awake, ASLEEP)) {
            self->at = WAIT;
        }
        return true;
    }
    case WAIT:
        if (atomic_load(&world.bell) == ASLEEP) {
            return false;
        }
        self->at = HEAR;
        return true;
    default:
        return false;
    }
}

static bool step(unsigned number)
{
    return number == PURGER ? purge(&world.threads[number]) : post(&world.threads[number]);
}

static const char *check(void)
{
    return NULL;
}

static const char *check_end(void)
{
    if (world.threads[PURGER].at != WAIT) {
        return "the purger is stuck";
    }
    return atomic_load(&world.work) == 0 ? NULL : "BE1: the purger sleeps and work is left";
}

static void begin(void)
{
    memset(&world, 0, sizeof world);
    atomic_store(&world.bell, RUNG);
    for (unsigned number = 0; number < POSTERS; number++) {
        world.threads[number].posts_left = POSTS;
    }
    world.threads[PURGER].at = HEAR;
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

static void in_no_order_the_purger_sleeps_over_work(void **state)
{
    (void)state;
    expect_sound(run(NONE), 100, 0);
}

static void looking_before_posting_is_found(void **state)
{
    (void)state;
    expect_broken(run(LOOKS_BEFORE_IT_POSTS));
}

static void ending_a_pass_without_a_last_look_is_found(void **state)
{
    (void)state;
    expect_broken(run(ENDS_WITHOUT_A_LAST_LOOK));
}

static void resting_without_listening_is_found(void **state)
{
    (void)state;
    expect_broken(run(RESTS_WITHOUT_LISTENING));
}

static void hearing_after_the_look_is_found(void **state)
{
    (void)state;
    expect_broken(run(HEARS_AFTER_LOOKING));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_no_order_the_purger_sleeps_over_work),
        cmocka_unit_test(looking_before_posting_is_found),
        cmocka_unit_test(ending_a_pass_without_a_last_look_is_found),
        cmocka_unit_test(resting_without_listening_is_found),
        cmocka_unit_test(hearing_after_the_look_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
