#include "platform/purger_bell.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef enum bell_state { BELL_AWAKE, BELL_RUNG, BELL_ASLEEP } bell_state;

static _Atomic uint32_t bell = BELL_RUNG; /* shared: P15; the first look is due */
_Atomic uint32_t hp_ticks_left = HP_TICK_OPERATIONS;

void hp_ticks_set(uint32_t operations)
{
    /* relaxed: a count, nothing depends on its order */
    atomic_store_explicit(&hp_ticks_left, operations, memory_order_relaxed);
}

/* No function of libc that could be interposed, and errno as it was. */
static void call_futex(int operation, uint32_t value, const struct timespec *time)
{
    int saved_errno = errno;
    syscall(SYS_futex, &bell, operation | FUTEX_PRIVATE_FLAG, value, time, NULL, 0);
    errno = saved_errno;
}

void hp_bell_ring(void)
{
    /* acq_rel: P15, pairs with hp_bell_hear and hp_bell_rest */
    uint32_t before = atomic_exchange_explicit(&bell, BELL_RUNG, memory_order_acq_rel);
    if (before == BELL_ASLEEP) {
        call_futex(FUTEX_WAKE, 1, NULL);
    }
    /* relaxed: whoever ticks does so at once. Where a purger has its thread the count stays 0 */
    if (atomic_load_explicit(&hp_ticks_left, memory_order_relaxed) > 1) {
        hp_ticks_set(1);
    }
}

bool hp_bell_hear(void)
{
    /* acq_rel: P15, pairs with hp_bell_ring */
    return atomic_exchange_explicit(&bell, BELL_AWAKE, memory_order_acq_rel) == BELL_RUNG;
}

bool hp_bell_rest(void)
{
    uint32_t awake = BELL_AWAKE;
    /* acq_rel: P15, pairs with hp_bell_ring. acquire on failure: P15, the next look sees the work */
    return atomic_compare_exchange_strong_explicit(&bell, &awake, BELL_ASLEEP, memory_order_acq_rel,
                                                   memory_order_acquire);
}

void hp_bell_wait(void)
{
    call_futex(FUTEX_WAIT, BELL_ASLEEP, NULL);
}

void hp_bell_pause(uint32_t pause_ms)
{
    /* Not the bell's word: between two looks nobody has to be woken. */
    struct timespec time = {.tv_sec = pause_ms / 1000,
                            .tv_nsec = (long)(pause_ms % 1000) * 1000000};
    int saved_errno = errno;
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
    errno = saved_errno;
}

void hp_bell_after_fork(void)
{
    /* relaxed: there is one thread */
    atomic_store_explicit(&bell, BELL_RUNG, memory_order_relaxed);
    hp_ticks_set(1);
}
