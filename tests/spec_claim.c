/*
 * The claim: one holder at a time, and what the holder wrote is seen by the next one.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "platform/claim.h"

enum { TRIES = 200000 };

/* A claim, what it guards, and how often a try succeeded. */
typedef struct guarded {
    hp_claim claim;
    uint64_t counted; /* under the claim */
    _Atomic uint64_t claimed;
} guarded;

static void a_claim_of_zeros_is_open(void **state)
{
    (void)state;
    hp_claim claim = {0};

    assert_false(hp_claim_is_taken(&claim));
    assert_true(hp_claim_try(&claim));
}

static void a_taken_claim_refuses_every_other_try(void **state)
{
    (void)state;
    hp_claim claim = {0};
    assert_true(hp_claim_try(&claim));

    assert_true(hp_claim_is_taken(&claim));
    assert_false(hp_claim_try(&claim));
    assert_false(hp_claim_try(&claim));
}

static void a_released_claim_can_be_taken_again(void **state)
{
    (void)state;
    hp_claim claim = {0};
    assert_true(hp_claim_try(&claim));
    assert_false(hp_claim_try(&claim));

    hp_claim_release(&claim);

    assert_false(hp_claim_is_taken(&claim));
    assert_true(hp_claim_try(&claim));
}

static void *count_under_the_claim(void *argument)
{
    guarded *shared = argument;
    for (unsigned tries = 0; tries < TRIES; tries++) {
        if (hp_claim_try(&shared->claim)) {
            shared->counted++;
            hp_claim_release(&shared->claim);
            atomic_fetch_add_explicit(&shared->claimed, 1, memory_order_relaxed);
        }
    }
    return NULL;
}

static void no_count_under_a_claim_is_lost_between_threads(void **state)
{
    (void)state;
    static guarded shared;
    pthread_t threads[3];
    for (unsigned index = 0; index < 3; index++) {
        assert_int_equal(pthread_create(&threads[index], NULL, count_under_the_claim, &shared), 0);
    }

    for (unsigned index = 0; index < 3; index++) {
        pthread_join(threads[index], NULL);
    }

    assert_true(atomic_load(&shared.claimed) > 0);
    assert_int_equal(shared.counted, atomic_load(&shared.claimed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_claim_of_zeros_is_open),
        cmocka_unit_test(a_taken_claim_refuses_every_other_try),
        cmocka_unit_test(a_released_claim_can_be_taken_again),
        cmocka_unit_test(no_count_under_a_claim_is_lost_between_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
