#include "platform/limit.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

static _Atomic uint64_t mapped_bytes; /* shared: relaxed counter */
static _Atomic uint64_t ceiling =
    HP_NO_LIMIT;                            /* shared: relaxed, set by the program or the options */
static _Atomic uint64_t soft = HP_NO_LIMIT; /* shared: relaxed, as above */

static _Atomic bool scarce; /* shared: relaxed, set once */

/* No machine is asked whether it has less than that. */
#define LEAST_MACHINE_BYTES ((uint64_t)1 << 30)

static bool is_limited(__rlimit_resource_t resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void hp_limit_ask_system(void)
{
    /* What the program may write to counts as data, with memory or without. */
    if (is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA)) {
        /* relaxed: a choice, nothing depends on its order */
        atomic_store_explicit(&scarce, true, memory_order_relaxed);
    }
}

bool hp_limit_address_space_is_scarce(void)
{
    /* relaxed: as above */
    return atomic_load_explicit(&scarce, memory_order_relaxed);
}

/* Memory and swap. Not asked at the start: few programs are ever refused so much, and a sandbox may kill for it. */
static uint64_t machine_bytes(void)
{
    struct sysinfo machine;
    int saved_errno = errno;
    bool known = sysinfo(&machine) == 0;
    errno = saved_errno;
    return known ? ((uint64_t)machine.totalram + machine.totalswap) * machine.mem_unit
                 : HP_NO_LIMIT;
}

bool hp_limit_may_ever_fit(uint64_t bytes)
{
    if (bytes > hp_limit_ceiling()) {
        return false;
    }
    return bytes <= LEAST_MACHINE_BYTES || hp_limit_address_space_is_scarce() ||
           bytes <= machine_bytes();
}

bool hp_limit_add(uint64_t bytes)
{
    /* relaxed: a counter */
    uint64_t before = atomic_load_explicit(&mapped_bytes, memory_order_relaxed);
    uint64_t most;
    do {
        most = hp_limit_ceiling();
        /* Nothing more fits also above a ceiling that was lowered. */
        if (bytes != 0 && (before > most || bytes > most - before)) {
            return false;
        }
        /* relaxed: as above; what is refused is never counted, so it is in nobody else's way */
    } while (!atomic_compare_exchange_weak_explicit(&mapped_bytes, &before, before + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

void hp_limit_take_off(uint64_t bytes)
{
    /* relaxed: a counter */
    atomic_fetch_sub_explicit(&mapped_bytes, bytes, memory_order_relaxed);
}

uint64_t hp_limit_mapped_bytes(void)
{
    /* relaxed: a counter */
    return atomic_load_explicit(&mapped_bytes, memory_order_relaxed);
}

void hp_limit_set_ceiling(uint64_t bytes)
{
    /* relaxed: a number that depends on nothing */
    atomic_store_explicit(&ceiling, bytes, memory_order_relaxed);
}

uint64_t hp_limit_ceiling(void)
{
    /* relaxed: as above */
    return atomic_load_explicit(&ceiling, memory_order_relaxed);
}

void hp_limit_set_soft(uint64_t bytes)
{
    /* relaxed: as above */
    atomic_store_explicit(&soft, bytes, memory_order_relaxed);
}

uint64_t hp_limit_soft(void)
{
    /* relaxed: as above */
    return atomic_load_explicit(&soft, memory_order_relaxed);
}
