/*
 * Birth and exit of a thread's record, what it leaves behind, and what the thread can still do after.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "thread_lines.h"

static void run(void *(*body)(void *))
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, body, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static unsigned record_count(void)
{
    unsigned count = 0;
    for (const hp_thread *record = hp_thread_first(); record != NULL; record = record->next) {
        count++;
    }
    return count;
}

/* What a thread under test saw; asserted after it was joined. */
static struct {
    hp_thread *before;
    hp_thread *record;
    hp_owner *owner;
    uint32_t bound_threads;
    void *chunk;
    void *others_chunk;
    hp_thread *after;
    bool freed;
    bool had_reserve;
} seen;

/* ---- birth ---- */

static void *look_at_birth(void *argument)
{
    (void)argument;
    seen.before = hp_self;
    seen.record = be_born();
    seen.after = hp_self;
    seen.owner = seen.record->owner;
    seen.bound_threads = atomic_load(&seen.owner->bound_threads);
    return NULL;
}

static void a_thread_starts_with_empty_lines_that_nobody_owns(void **state)
{
    (void)state;
    run(look_at_birth);

    assert_null(seen.before->owner);
    assert_int_equal(seen.before->tag, UINT64_MAX);
    for (unsigned size_class = 0; size_class < HP_SMALL_CLASSES; size_class++) {
        assert_int_equal(seen.before->lines[size_class].filled, HP_LINE_EMPTY);
    }
}

static void a_thread_is_bound_to_an_owner_from_its_birth_to_its_exit(void **state)
{
    (void)state;
    run(look_at_birth);

    assert_ptr_equal(seen.after, seen.record);
    assert_int_equal(seen.record->tag, hp_owner_tag(seen.owner->id));
    assert_int_equal(seen.bound_threads, atomic_load(&seen.owner->bound_threads) + 1);
}

static void a_record_that_a_thread_left_serves_the_next_thread(void **state)
{
    (void)state;
    run(look_at_birth);
    hp_thread *record = seen.record;
    unsigned records = record_count();

    for (unsigned threads = 0; threads < 100; threads++) {
        run(look_at_birth);
        assert_ptr_equal(seen.record, record);
    }

    assert_int_equal(record_count(), records);
}

/* ---- exit ---- */

/* Enough for a reserve and a spill. */
static void *fill_line_reserve_and_outbox(void *argument)
{
    (void)argument;
    hp_thread *record = be_born();
    bind_to_another_owner(record);
    void *chunks[256];
    unsigned count = 0;
    while (count < 256 && !has_reserve(record, 208)) {
        chunks[count++] = hepta_malloc(208);
    }
    for (unsigned index = 0; index < count; index++) {
        hepta_free(chunks[index]);
    }
    hepta_free(seen.others_chunk);
    seen.record = record;
    seen.owner = record->owner;
    seen.chunk = chunks[0];
    seen.had_reserve = has_reserve(record, 208);
    return NULL;
}

static void at_exit_a_thread_returns_its_lines_its_reserve_and_its_outbox(void **state)
{
    (void)state;
    seen.others_chunk = take(208);
    hp_slab *slab_of_mine = slab_of(seen.others_chunk);

    run(fill_line_reserve_and_outbox);

    assert_ptr_not_equal(seen.owner, mine);
    assert_true(seen.had_reserve);
    hp_slab *slab = slab_of(seen.chunk);
    assert_true(hp_claim_try(&seen.owner->claim));
    hp_depot_empty(seen.owner);
    assert_int_equal(slab->free->free_count, slab->slot_count);
    hp_claim_release(&seen.owner->claim);
    assert_int_equal(slab_of_mine->pending, 1);
    assert_int_equal(seen.record->lines[hp_class_of(208)].filled, HP_LINE_EMPTY);
}

static hp_owner *held;

static void *exit_while_the_owner_is_claimed(void *argument)
{
    fill_line_reserve_and_outbox(argument);
    held = hp_claim_try(&seen.owner->claim) ? seen.owner : NULL;
    return NULL;
}

static void at_exit_what_a_claimed_owner_cannot_take_becomes_notes(void **state)
{
    (void)state;
    seen.others_chunk = take(208);

    run(exit_while_the_owner_is_claimed);

    assert_non_null(held);
    hp_slab *slab = slab_of(seen.chunk);
    assert_true(slab->free->free_count < slab->slot_count);
    hp_inbox_drain(held);
    hp_depot_empty(held);
    assert_int_equal(slab->free->free_count, slab->slot_count);
    hp_claim_release(&held->claim);
}

/* ---- after the exit: destructors of keys that were made after hepta's ---- */

static pthread_key_t late_key;

static void free_and_allocate_late(void *chunk)
{
    bool zeroed;
    seen.record = hp_thread_enter();
    seen.after = hp_self;
    hp_slab *slab = slab_of(chunk);
    uint32_t free_before = slab->free->free_count;
    hp_thread_free_slot(seen.record, slab, index_of(chunk));
    seen.freed = slab->free->free_count == free_before + 1;
    seen.chunk = hp_thread_take_slot(NULL, hp_class_of(8192), 16, &zeroed);
}

static void *leave_a_chunk_to_a_late_destructor(void *argument)
{
    (void)argument;
    hp_thread *record = be_born();
    pthread_setspecific(late_key, hp_thread_refill(record, hp_class_of(304)));
    return NULL;
}

static void after_its_exit_a_thread_frees_and_allocates_without_a_record(void **state)
{
    (void)state;
    assert_int_equal(pthread_key_create(&late_key, free_and_allocate_late), 0);
    unsigned records = record_count();

    run(leave_a_chunk_to_a_late_destructor);

    assert_null(seen.record);
    assert_null(seen.after->owner);
    assert_true(seen.freed);
    assert_non_null(seen.chunk);
    assert_true(record_count() <= records + 1);
    pthread_key_delete(late_key);
    hp_thread_free_slot(NULL, slab_of(seen.chunk), index_of(seen.chunk));
}

/* ---- without caches: the last test of the process ---- */

static void *try_to_be_born(void *argument)
{
    (void)argument;
    seen.record = be_born();
    return NULL;
}

static void when_caches_are_disabled_no_thread_gets_a_record(void **state)
{
    (void)state;
    hp_thread_set_caches(false);

    run(try_to_be_born);

    assert_null(seen.record);
    assert_ptr_equal(hp_thread_enter(), self); /* who has one keeps it */
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, thread_setup, thread_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_thread_starts_with_empty_lines_that_nobody_owns),
        SPEC(a_thread_is_bound_to_an_owner_from_its_birth_to_its_exit),
        SPEC(a_record_that_a_thread_left_serves_the_next_thread),
        SPEC(at_exit_a_thread_returns_its_lines_its_reserve_and_its_outbox),
        SPEC(at_exit_what_a_claimed_owner_cannot_take_becomes_notes),
        SPEC(after_its_exit_a_thread_frees_and_allocates_without_a_record),
        SPEC(when_caches_are_disabled_no_thread_gets_a_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
