/*
 * The kept huge mappings in every order of their steps; see interleave_huge.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "interleave_huge_free.h"
#include "interleave_spec.h"
#include "support/interleave.h"

static unsigned times_kept(const hp_huge *huge)
{
    unsigned times = 0;
    for (unsigned slot = 0; slot < KEPT_SLOTS; slot++) {
        times += atomic_load(&world.kept[slot]) == huge;
    }
    return times;
}

static unsigned times_spare(const hp_huge *huge)
{
    unsigned times = 0;
    const hp_stack_node *node = world.spare_records.head;
    for (unsigned length = 0; node != NULL && length <= RECORDS; length++, node = node->next) {
        times += node == &huge->spare_link;
    }
    return times;
}

static unsigned times_held(const hp_huge *huge)
{
    unsigned times = 0;
    for (unsigned number = 0; number < THREADS; number++) {
        const thread *self = &world.threads[number];
        bool joins = self->at >= JOIN_COUNT && self->at <= JOIN_RECYCLE;
        times += self->in_hands && self->huge == huge;
        times += self->other == huge;
        times += (joins || self->at == EVICT_COUNT) && self->best == huge;
        times += self->in_use == huge;
    }
    return times;
}

static uint64_t dirty_bytes_in_slots(void)
{
    uint64_t bytes = 0;
    for (unsigned slot = 0; slot < KEPT_SLOTS; slot++) {
        const hp_huge *huge = atomic_load(&world.kept[slot]);
        bytes += huge == NULL ? 0 : huge->dirty_bytes;
    }
    return bytes;
}

/* Whether a mapping in another slot has some of the same units. */
static bool is_kept_twice(unsigned slot)
{
    const hp_huge *huge = atomic_load(&world.kept[slot]);
    for (unsigned index = slot + 1; index < KEPT_SLOTS; index++) {
        const hp_huge *other = atomic_load(&world.kept[index]);
        if (huge != NULL && other != NULL && start_of(huge) < end_of(other) &&
            start_of(other) < end_of(huge)) {
            return true;
        }
    }
    return false;
}

static const char *check(void)
{
    for (unsigned index = 0; index < world.records_used; index++) {
        const hp_huge *huge = &world.records[index];
        if (times_kept(huge) + times_spare(huge) + times_held(huge) != 1) {
            return "H1: a record is at two places, or at none";
        }
    }
    if (dirty_bytes_in_slots() > HP_HUGE_KEPT_BYTES) {
        return "KP2: more is kept than may be";
    }
    if (is_kept_twice(0)) {
        return "KP1: a range is kept twice";
    }
    return world.broken;
}

static const char *check_end(void)
{
    if (atomic_load(&world.dirty_bytes) != dirty_bytes_in_slots()) {
        return "KP2: the count of dirty bytes is wrong when nobody is at work";
    }
    uintptr_t mapped = 0;
    for (unsigned unit = 0; unit < UNITS; unit++) {
        mapped += world.mapped[unit];
    }
    uintptr_t kept = 0;
    for (unsigned slot = 0; slot < KEPT_SLOTS; slot++) {
        const hp_huge *huge = atomic_load(&world.kept[slot]);
        kept += huge == NULL ? 0 : end_of(huge) - start_of(huge);
    }
    return mapped == kept ? NULL : "H1: a mapping is lost";
}

/* One mapping of 48 MiB is kept in the first slot. */
static void begin(void)
{
    memset(&world, 0, sizeof world);
    world.records_used = 1;
    map(&world.records[0], 48 * MIB);
    world.records[0].dirty_bytes = 48 * MIB;
    atomic_store(&world.records[0].filled, true);
    atomic_store(&world.records[0].kept_start, start_of(&world.records[0]));
    atomic_store(&world.kept[0], &world.records[0]);
    atomic_store(&world.dirty_bytes, 48 * MIB);
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

static void in_no_order_a_mapping_is_lost_or_used_twice_or_too_small(void **state)
{
    (void)state;
    expect_sound(run(NONE), 10000, 10);
}

static void then_it_is_found(mutation chosen)
{
    expect_broken(run(chosen));
}

static void a_taken_record_that_is_not_looked_at_again_is_found(void **state)
{
    (void)state;
    then_it_is_found(NO_SECOND_LOOK);
}

static void a_neighbour_that_is_not_looked_at_again_is_found(void **state)
{
    (void)state;
    then_it_is_found(NO_SECOND_LOOK_BESIDE);
}

static void bytes_that_are_counted_after_they_are_kept_are_found(void **state)
{
    (void)state;
    then_it_is_found(COUNTED_AFTER_KEEPING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_no_order_a_mapping_is_lost_or_used_twice_or_too_small),
        cmocka_unit_test(a_taken_record_that_is_not_looked_at_again_is_found),
        cmocka_unit_test(a_neighbour_that_is_not_looked_at_again_is_found),
        cmocka_unit_test(bytes_that_are_counted_after_they_are_kept_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
