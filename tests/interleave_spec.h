/*
 * What an exhaustive search has to come to: nothing broken, or the mistake that was put in found. cmocka.h
 * has to be included before.
 */
#pragma once

#include "support/interleave.h"

static inline void expect_sound(interleave_result result, unsigned long long least_worlds,
                                unsigned long long least_ends)
{
    print_message("%llu worlds, %llu ends\n", (unsigned long long)result.worlds,
                  (unsigned long long)result.ends);
    if (result.broken != NULL) {
        fail_msg("%s after the steps of %s", result.broken, result.schedule);
    }
    assert_true(result.worlds > least_worlds);
    assert_true(result.ends > least_ends);
}

static inline void expect_broken(interleave_result result)
{
    assert_non_null(result.broken);
    print_message("%s after the steps of %s\n", result.broken, result.schedule);
}
