/*
 * Threads that take runs, free them and give idle regions back, all at the same time: nobody's pages are
 * unmapped under him or handed out twice. run_specs_tsan.sh runs it too.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena/arena.h"
#include "platform/system.h"

enum { THREADS = 3, ROUNDS = 1500 };

#define MIB ((size_t)1 << 20)

typedef struct worker {
    unsigned number;
    unsigned zeroed_wrongly;
    unsigned overwritten;
} worker;

static void mark(worker *self, const hp_run *run)
{
    for (size_t byte = 0; byte < run->bytes; byte += hp_page_bytes()) {
        self->zeroed_wrongly += run->zeroed && run->start[byte] != 0;
        run->start[byte] = (char)self->number;
    }
}

static void look_at_marks(worker *self, const hp_run *run)
{
    for (size_t byte = 0; byte < run->bytes; byte += hp_page_bytes()) {
        self->overwritten += run->start[byte] != (char)self->number;
    }
}

static void *hold_runs(void *argument)
{
    worker *self = argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        hp_run run;
        size_t bytes = hp_round_up(MIB / (1 + round % 7), hp_page_bytes());
        if (!hp_arena_take(bytes, hp_page_bytes(), &run)) {
            continue;
        }
        mark(self, &run);
        hp_arena_unmap_idle();
        look_at_marks(self, &run);
        hp_region_free(run.region, run.chunk);
        hp_arena_unmap_idle();
    }
    return NULL;
}

/* So short that the arena is mostly without pages, and every thread has to map some. */
static void *come_and_go(void *argument)
{
    worker *self = argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        hp_run run;
        if (hp_arena_take(MIB, hp_page_bytes(), &run)) {
            run.start[0] = (char)self->number;
            self->overwritten += run.start[0] != (char)self->number;
            hp_region_free(run.region, run.chunk);
        }
        hp_arena_unmap_idle();
    }
    return NULL;
}

static void then_no_run_is_damaged_and_all_regions_can_be_given_back(void *(*body)(void *))
{
    worker workers[THREADS];
    pthread_t threads[THREADS];
    for (unsigned index = 0; index < THREADS; index++) {
        workers[index] = (worker){.number = index + 1};
        assert_int_equal(pthread_create(&threads[index], NULL, body, &workers[index]), 0);
    }
    for (unsigned index = 0; index < THREADS; index++) {
        pthread_join(threads[index], NULL);
        assert_int_equal(workers[index].overwritten, 0);
        assert_int_equal(workers[index].zeroed_wrongly, 0);
    }
    hp_arena_unmap_idle();
    for (uint32_t number = 0; hp_arena_region(number) != NULL; number++) {
        assert_int_equal(atomic_load(&hp_arena_region(number)->mapped_pages), 0);
    }
}

static void runs_stay_whole_while_other_threads_give_regions_back(void **state)
{
    (void)state;
    then_no_run_is_damaged_and_all_regions_can_be_given_back(hold_runs);
}

static void regions_are_mapped_and_given_back_by_all_threads_at_once(void **state)
{
    (void)state;
    then_no_run_is_damaged_and_all_regions_can_be_given_back(come_and_go);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_stay_whole_while_other_threads_give_regions_back),
        cmocka_unit_test(regions_are_mapped_and_given_back_by_all_threads_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
