/*
 * The kept huge mappings in every order of their steps; see interleave_huge.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "interleave_huge.h"
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
        times += self->in_hands && self->huge == huge;
        times += self->in_use == huge;
    }
    return times;
}

static uint64_t bytes_in_slots(void)
{
    uint64_t bytes = 0;
    for (unsigned slot = 0; slot < KEPT_SLOTS; slot++) {
        const hp_huge *huge = atomic_load(&world.kept[slot]);
        bytes += huge == NULL ? 0 : atomic_load(&huge->mapped_bytes);
    }
    return bytes;
}

static const char *check(void)
{
    for (unsigned index = 0; index < world.records_used; index++) {
        const hp_huge *huge = &world.records[index];
        if (times_kept(huge) + times_spare(huge) + times_held(huge) != 1) {
            return "H1: a record is at two places, or at none";
        }
    }
    if (bytes_in_slots() > HP_HUGE_KEPT_BYTES) {
        return "H2: more is kept than may be";
    }
    return world.broken;
}

static const char *check_end(void)
{
    if (atomic_load(&world.kept_bytes) != bytes_in_slots()) {
        return "H2: the count of kept bytes is wrong when nobody is at work";
    }
    unsigned mapped = 0;
    for (unsigned mapping = 0; mapping < MAPPINGS; mapping++) {
        mapped += world.mapped[mapping];
    }
    unsigned kept = 0;
    for (unsigned slot = 0; slot < KEPT_SLOTS; slot++) {
        kept += atomic_load(&world.kept[slot]) != NULL;
    }
    return mapped == kept ? NULL : "H1: a mapping is lost";
}

/* One mapping of 48 MiB is kept in the first slot. */
static void begin(void)
{
    memset(&world, 0, sizeof world);
    world.records_used = 1;
    world.mapped[world.mappings_made] = true;
    world.records[0].mapping = (char *)world.mappings_made++;
    atomic_store(&world.records[0].mapped_bytes, 48 * MIB);
    atomic_store(&world.kept[0], &world.records[0]);
    atomic_store(&world.kept_bytes, 48 * MIB);
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
        cmocka_unit_test(bytes_that_are_counted_after_they_are_kept_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
