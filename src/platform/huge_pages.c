#define _GNU_SOURCE
#include "platform/huge_pages.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int wanted; /* shared: relaxed, hp_huge_pages; set from the options */

void hp_huge_pages_set(hp_huge_pages policy)
{
    /* relaxed: a choice, nothing depends on its order */
    atomic_store_explicit(&wanted, policy, memory_order_relaxed);
}

void hp_huge_pages_advise(void *address, size_t bytes)
{
    /* relaxed: as above */
    int policy = atomic_load_explicit(&wanted, memory_order_relaxed);
    if (policy != HP_HUGE_PAGES_DEFAULT) {
        int saved_errno = errno;
        syscall(SYS_madvise, address, bytes,
                policy == HP_HUGE_PAGES_ALWAYS ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
        errno = saved_errno;
    }
}
