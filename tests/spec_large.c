/*
 * Large blocks: a run of the arena or a mapping of its own, one entry of the map, freed once.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena/arena.h"
#include "huge_blocks.h"

enum { ROUNDS = 2000 };

static const size_t a_run_and_a_huge[] = {1 << 20, 8 << 20};

static char *given_a_block(size_t bytes)
{
    bool zeroed;
    char *start = hp_large_allocate(bytes, 16, &zeroed);
    assert_non_null(start);
    return start;
}

static hp_region *region_of(const void *start)
{
    return hp_arena_region(hp_entry_region(hp_map_get(start)));
}

/* ---- allocation ---- */

static void up_to_4_mib_a_block_is_a_run_and_above_it_has_a_mapping_of_its_own(void **state)
{
    (void)state;
    char *run = given_a_block(4 * MIB);
    char *huge = given_a_block(4 * MIB + 1);

    assert_int_equal(hp_entry_kind(hp_map_get(run)), HP_KIND_RUN);
    assert_int_equal(hp_entry_kind(hp_map_get(huge)), HP_KIND_HUGE);
    give_back(run);
    give_back(huge);
}

static void an_alignment_above_that_of_a_region_needs_a_mapping_of_its_own(void **state)
{
    (void)state;
    for (size_t align = hp_page_bytes(); align <= 8 * MIB; align *= 2) {
        bool zeroed;
        char *start = hp_large_allocate(64 << 10, align, &zeroed);

        hp_kind wanted = align <= HP_REGION_ALIGN_BYTES ? HP_KIND_RUN : HP_KIND_HUGE;
        assert_int_equal((uintptr_t)start % align, 0);
        assert_int_equal(hp_entry_kind(hp_map_get(start)), wanted);
        give_back(start);
    }
}

static void only_the_first_page_has_an_entry_and_the_freed_block_leaves_a_trace_there(void **state)
{
    (void)state;
    for (unsigned index = 0; index < 2; index++) {
        char *start = given_a_block(a_run_and_a_huge[index]);
        for (size_t page = 1; page < 16; page++) {
            hp_entry entry = hp_map_get(start + page * hp_page_bytes());
            assert_int_equal(hp_entry_kind(entry), HP_KIND_NONE);
        }

        give_back(start);

        assert_int_equal(hp_map_get(start), HP_ENTRY_FREED);
    }
}

static void what_the_system_refuses_gives_NULL(void **state)
{
    (void)state;
    bool zeroed;
    fake.maps_left = 0;

    assert_null(hp_large_allocate(8 * MIB, 16, &zeroed));
    while (hp_large_allocate(4 * MIB, 16, &zeroed) != NULL) { /* what the arena has left */
    }
    assert_null(hp_large_allocate(4 * MIB, 16, &zeroed));
}

/* ---- free ---- */

static void of_two_frees_of_a_block_one_is_told(void **state)
{
    (void)state;
    for (unsigned index = 0; index < 2; index++) {
        char *start = given_a_block(a_run_and_a_huge[index]);
        hp_entry entry = hp_map_get(start); /* both have looked it up before either is done */

        assert_true(hp_large_free(entry, start));
        uint64_t kept_bytes = hp_huge_count().kept_bytes;
        assert_false(hp_large_free(entry, start));

        assert_int_equal(hp_huge_count().kept_bytes, kept_bytes);
    }
}

typedef struct freer {
    pthread_barrier_t *start;
    hp_entry entry;
    char *block;
    bool freed;
} freer;

static void *free_when_all_are_there(void *argument)
{
    freer *self = argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(self->start);
        self->freed = hp_large_free(self->entry, self->block);
        pthread_barrier_wait(self->start);
    }
    return NULL;
}

static void of_two_threads_that_free_a_block_one_is_told(void **state)
{
    (void)state;
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, 3);
    freer freers[2] = {{.start = &start}, {.start = &start}};
    pthread_t threads[2];
    for (unsigned index = 0; index < 2; index++) {
        pthread_create(&threads[index], NULL, free_when_all_are_there, &freers[index]);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        freers[0].block = freers[1].block = given_a_block(a_run_and_a_huge[round % 2]);
        freers[0].entry = freers[1].entry = hp_map_get(freers[0].block);
        pthread_barrier_wait(&start);
        pthread_barrier_wait(&start);
        assert_int_equal(freers[0].freed + freers[1].freed, 1);
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_barrier_destroy(&start);
}

static void a_pointer_into_a_block_frees_nothing(void **state)
{
    (void)state;
    for (unsigned index = 0; index < 2; index++) {
        char *start = given_a_block(a_run_and_a_huge[index]);
        hp_entry entry = hp_map_get(start);

        assert_false(hp_large_free(entry, start + 16));
        assert_int_equal(hp_large_usable_bytes(entry, start + 16), 0);

        assert_int_equal(hp_map_get(start), entry);
        give_back(start);
    }
}

/* ---- size ---- */

static void a_block_has_all_of_its_pages(void **state)
{
    (void)state;
    for (unsigned index = 0; index < 2; index++) {
        char *start = given_a_block(a_run_and_a_huge[index] - 1);

        size_t usable_bytes = hp_large_usable_bytes(hp_map_get(start), start);

        assert_int_equal(usable_bytes, a_run_and_a_huge[index]);
        memset(start, 1, usable_bytes);
        give_back(start);
    }
}

static void a_run_grows_and_shrinks_where_it_is(void **state)
{
    (void)state;
    char *start = given_a_block(MIB);
    hp_entry entry = hp_map_get(start);
    hp_region *region = region_of(start);
    uint32_t free_pages = atomic_load(&region->free_pages);

    assert_ptr_equal(hp_large_resize(entry, start, MIB / 2), start);

    assert_int_equal(hp_large_usable_bytes(entry, start), MIB / 2);
    assert_int_equal(atomic_load(&region->free_pages), free_pages + MIB / 2 / hp_page_bytes());
    assert_ptr_equal(hp_large_resize(entry, start, MIB), start);
    assert_int_equal(hp_large_usable_bytes(entry, start), MIB);
    give_back(start);
}

static void a_size_of_another_kind_of_block_changes_nothing(void **state)
{
    (void)state;
    char *run = given_a_block(MIB);
    char *huge = given_a_block(8 * MIB);

    assert_null(hp_large_resize(hp_map_get(run), run, 32768));
    assert_null(hp_large_resize(hp_map_get(run), run, 4 * MIB + 1));
    assert_null(hp_large_resize(hp_map_get(huge), huge, 4 * MIB));

    assert_int_equal(hp_large_usable_bytes(hp_map_get(run), run), MIB);
    assert_int_equal(hp_large_usable_bytes(hp_map_get(huge), huge), 8 * MIB);
    give_back(run);
    give_back(huge);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, huge_setup, fake_system_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(up_to_4_mib_a_block_is_a_run_and_above_it_has_a_mapping_of_its_own),
        SPEC(an_alignment_above_that_of_a_region_needs_a_mapping_of_its_own),
        SPEC(only_the_first_page_has_an_entry_and_the_freed_block_leaves_a_trace_there),
        SPEC(of_two_frees_of_a_block_one_is_told),
        SPEC(of_two_threads_that_free_a_block_one_is_told),
        SPEC(a_pointer_into_a_block_frees_nothing),
        SPEC(a_block_has_all_of_its_pages),
        SPEC(a_run_grows_and_shrinks_where_it_is),
        SPEC(a_size_of_another_kind_of_block_changes_nothing),
        SPEC(what_the_system_refuses_gives_NULL),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
