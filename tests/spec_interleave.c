/*
 * The inbox in every order of its steps; see interleave_inbox.h. The region, the huge mappings and the
 * stack of parked records are in the other spec_interleave_*.c. run_models.sh does the same to inbox.c
 * itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "interleave_inbox.h"
#include "interleave_spec.h"
#include "support/interleave.h"

/* ---- what must hold ---- */

static unsigned times_in_list(hp_stack_node *link, const hp_slab *slab)
{
    unsigned times = 0;
    for (unsigned length = 0; link != NULL && length <= SLABS; length++, link = link->next) {
        times += slab_of_link(link) == slab;
    }
    return times;
}

/* I1: where a slab with news lies: on the inbox, in what was taken out of it, or in the hands of a pusher. */
static unsigned places_of(const hp_slab *slab)
{
    unsigned places = times_in_list(world.inbox.head, slab) + times_in_list(world.taken, slab);
    for (unsigned number = 0; number < THREADS; number++) {
        const thread *self = &world.threads[number];
        places += self->pushes && self->slab == slab;
        if (self->at >= DRAIN_READ_LINK && self->at < RELEASE) {
            places += times_in_list(self->link, slab);
            places += self->at == DRAIN_PENDING && self->slab == slab;
        }
    }
    return places;
}

static const char *check(void)
{
    bool counts = wrong != LINK_READ_AFTER_PENDING && wrong != PENDING_CLEARED_AFTER_REMOTE;
    for (unsigned number = 0; number < SLABS && world.broken == NULL && counts; number++) {
        const hp_slab *slab = slab_number(number);
        if (places_of(slab) != (atomic_load(&slab->pending) != 0)) {
            world.broken = "I1: a slab is on the inbox twice, or not although it has news";
        }
    }
    return world.broken;
}

static void begin(void)
{
    memset(&world, 0, sizeof world);
    memcpy(world.out, slots, sizeof slots);
}

/* Whoever claims the owner next must find all notes, and must have been told that there are any. */
static const char *check_end(void)
{
    bool waiting = false;
    for (unsigned number = 0; number < SLABS; number++) {
        waiting = waiting || world.noted[number][0] != 0 || world.noted[number][1] != 0;
    }
    if (waiting && atomic_load(&world.inbox_bytes) == 0) {
        return "notes wait, and the count of bytes does not tell";
    }
    for (unsigned drains = 0; drains < 2; drains++) {
        thread next = {.at = TRY_CLAIM, .drains_all = true};
        for (unsigned steps = 0; next.at != NEXT_JOB; steps++) {
            if (steps > 100) {
                return "the list is torn: the last drain has no end";
            }
            step_drain(&next);
        }
    }
    for (unsigned number = 0; number < SLABS; number++) {
        if (world.noted[number][0] != 0 || world.noted[number][1] != 0) {
            return "a note is lost: it is there, and the last drain does not find it";
        }
    }
    return world.broken;
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

/* ---- as it is ---- */

static void in_no_order_a_note_is_lost_or_taken_twice_or_the_list_torn(void **state)
{
    (void)state;
    expect_sound(run(NONE), 10000, 10);
}

/* ---- made wrong: the search must find it ---- */

static void then_it_is_found(mutation chosen)
{
    expect_broken(run(chosen));
}

static void a_link_that_is_read_after_pending_is_cleared_is_found(void **state)
{
    (void)state;
    then_it_is_found(LINK_READ_AFTER_PENDING);
}

static void a_push_although_the_slab_is_pending_is_found(void **state)
{
    (void)state;
    then_it_is_found(PUSHED_WHEN_PENDING);
}

static void pending_that_is_set_before_the_remote_bit_is_found(void **state)
{
    (void)state;
    then_it_is_found(PENDING_SET_BEFORE_REMOTE);
}

static void pending_that_is_cleared_after_the_remote_words_is_found(void **state)
{
    (void)state;
    then_it_is_found(PENDING_CLEARED_AFTER_REMOTE);
}

static void bytes_that_are_read_after_the_slabs_are_taken_are_found(void **state)
{
    (void)state;
    then_it_is_found(BYTES_READ_AFTER_TAKING);
}

static void bytes_that_are_taken_back_before_all_is_worked_in_are_found(void **state)
{
    (void)state;
    then_it_is_found(BYTES_TAKEN_BACK_EARLY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_no_order_a_note_is_lost_or_taken_twice_or_the_list_torn),
        cmocka_unit_test(a_link_that_is_read_after_pending_is_cleared_is_found),
        cmocka_unit_test(a_push_although_the_slab_is_pending_is_found),
        cmocka_unit_test(pending_that_is_set_before_the_remote_bit_is_found),
        cmocka_unit_test(pending_that_is_cleared_after_the_remote_words_is_found),
        cmocka_unit_test(bytes_that_are_read_after_the_slabs_are_taken_are_found),
        cmocka_unit_test(bytes_that_are_taken_back_before_all_is_worked_in_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
