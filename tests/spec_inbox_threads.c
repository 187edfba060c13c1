/*
 * The inbox at full speed: threads free slots of the same bitmap words while the owner drains.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "owner_slots.h"

enum { FREERS = 3, ROUNDS = 400, CHUNKS = 3000 };

static void *shared_chunks[CHUNKS];
static pthread_barrier_t start;
static _Atomic unsigned finished;

/* Every third chunk, so that neighbouring bits of a word are set by different threads. */
static void *post_every_third(void *argument)
{
    size_t first = (size_t)(uintptr_t)argument;
    pthread_barrier_wait(&start);
    for (size_t index = first; index < CHUNKS; index += FREERS) {
        uint32_t slot = index_of(shared_chunks[index]);
        hp_inbox_post(slab_of(shared_chunks[index]), slot / 64, (uint64_t)1 << (slot & 63));
    }
    atomic_fetch_add(&finished, 1);
    return NULL;
}

static void given_chunks_of_two_classes(void)
{
    for (unsigned index = 0; index < CHUNKS; index++) {
        unsigned size_class = hp_class_of(index % 4 == 0 ? 1024 : 64);
        assert_int_equal(hp_owner_take(owner, size_class, 1, &shared_chunks[index]), 1);
    }
}

/* Records of slabs that went back serve again, while a late freer may still hold on to them. */
static void open_and_close_slabs(void)
{
    enum { SLABS = 4, SLOTS = 8 };
    void *others[SLABS * SLOTS];
    unsigned taken = 0;
    while (taken < SLABS * SLOTS) {
        taken += hp_owner_take(owner, hp_class_of(8192), SLOTS, others + taken);
    }
    while (taken > 0) {
        taken--;
        assert_true(put(others[taken]));
    }
}

static void then_every_slot_is_free(void)
{
    assert_null(hp_owner_check(owner));
    hp_owner_trim(owner);
    assert_int_equal(slabs_of(64)->slab_count, 0);
    assert_int_equal(slabs_of(1024)->slab_count, 0);
}

static void one_round(void)
{
    pthread_t threads[FREERS];
    given_chunks_of_two_classes();
    atomic_store(&finished, 0);
    for (unsigned index = 0; index < FREERS; index++) {
        assert_int_equal(
            pthread_create(&threads[index], NULL, post_every_third, (void *)(uintptr_t)index), 0);
    }
    pthread_barrier_wait(&start);
    while (atomic_load(&finished) < FREERS) {
        hp_inbox_drain(owner);
        open_and_close_slabs();
    }
    for (unsigned index = 0; index < FREERS; index++) {
        pthread_join(threads[index], NULL);
    }
    hp_inbox_drain(owner);
    then_every_slot_is_free();
}

static void every_note_of_every_thread_arrives_exactly_once(void **state)
{
    (void)state;
    assert_int_equal(pthread_barrier_init(&start, NULL, FREERS + 1), 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        one_round();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_note_of_every_thread_arrives_exactly_once,
                                        owner_setup, owner_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
