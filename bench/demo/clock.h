/* clock: time of day does not matter here, only time that passes. */
#pragma once

#include <stdint.h>
#include <time.h>

enum { NS_PER_MS = 1000000 };

static inline uint64_t clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A call that a signal cuts short returns early: every caller looks at the clock again. */
static inline void clock_wait_until_ns(uint64_t when_ns)
{
    struct timespec when = {.tv_sec = (time_t)(when_ns / 1000000000u),
                            .tv_nsec = (long)(when_ns % 1000000000u)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, 0);
}
