/*
 * Packs and their stacks: alone, and between threads.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "owner/pack.h"

enum { PACKS = 4 };

static hp_pack *packs[PACKS];
static hp_pack_stack stack;

static int pack_setup(void **state)
{
    (void)state;
    for (unsigned index = 0; index < PACKS && packs[index] == NULL; index++) {
        packs[index] = hp_pack_begin();
    }
    stack.top = 0;
    return 0;
}

static void the_last_one_pushed_is_the_first_one_popped(void **state)
{
    (void)state;
    assert_null(hp_pack_pop(&stack));
    for (unsigned index = 0; index < PACKS; index++) {
        hp_pack_push(&stack, packs[index]);
    }

    assert_int_equal(hp_pack_count(&stack), PACKS);
    for (unsigned index = PACKS; index-- > 0;) {
        assert_ptr_equal(hp_pack_pop(&stack), packs[index]);
    }
    assert_true(hp_pack_stack_is_empty(&stack));
}

static void a_pack_that_comes_back_makes_a_word_that_was_not_there_before(void **state)
{
    (void)state;
    hp_pack_push(&stack, packs[0]);
    hp_pack_push(&stack, packs[1]);
    uint64_t before = stack.top;

    hp_pack_pop(&stack);
    hp_pack_push(&stack, packs[1]);

    assert_int_equal(stack.top & HP_PACK_NAME_MASK, before & HP_PACK_NAME_MASK);
    assert_int_not_equal(stack.top, before);
}

static void all_are_taken_and_pushed_again_as_a_chain(void **state)
{
    (void)state;
    for (unsigned index = 0; index < PACKS; index++) {
        hp_pack_push(&stack, packs[index]);
    }

    hp_pack *top = hp_pack_take_all(&stack);

    assert_true(hp_pack_stack_is_empty(&stack));
    assert_ptr_equal(top, packs[PACKS - 1]);
    uint64_t word = hp_pack_push_chain(&stack, top, packs[0]);
    assert_int_equal(word, stack.top);
    assert_int_equal(hp_pack_count(&stack), PACKS);
    assert_ptr_equal(hp_pack_pop(&stack), packs[PACKS - 1]);
    assert_ptr_equal(hp_pack_pop(&stack), packs[PACKS - 2]);
}

/* ---- between threads ---- */

enum { THREADS = 4, ROUNDS = 20000 };

static hp_pack_stack shared;

/* Who holds a pack writes its own mark into it: ThreadSanitizer tells, and the mark, if two hold it. */
static void *pop_and_push(void *argument)
{
    uintptr_t failures = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        hp_pack *pack = hp_pack_pop(&shared);
        if (pack == NULL) {
            continue;
        }
        pack->chunks[0] = argument;
        pack->chunks[HP_LINE_CHUNKS - 1] = argument;
        failures += pack->chunks[0] != argument || pack->chunks[HP_LINE_CHUNKS - 1] != argument;
        hp_pack_push(&shared, pack);
    }
    return (void *)failures; /* NOLINT: a number of a thread */
}

static void no_pack_has_two_holders_and_none_is_lost(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    static char marks[THREADS];
    for (unsigned index = 0; index < PACKS; index++) {
        hp_pack_push(&shared, packs[index]);
    }
    for (unsigned index = 0; index < THREADS; index++) {
        assert_int_equal(pthread_create(&threads[index], NULL, pop_and_push, &marks[index]), 0);
    }
    for (unsigned index = 0; index < THREADS; index++) {
        void *failures;
        assert_int_equal(pthread_join(threads[index], &failures), 0);
        assert_null(failures);
    }

    assert_int_equal(hp_pack_count(&shared), PACKS);
}

#define SPEC(test) cmocka_unit_test_setup(test, pack_setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(the_last_one_pushed_is_the_first_one_popped),
        SPEC(a_pack_that_comes_back_makes_a_word_that_was_not_there_before),
        SPEC(all_are_taken_and_pushed_again_as_a_chain),
        SPEC(no_pack_has_two_holders_and_none_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
