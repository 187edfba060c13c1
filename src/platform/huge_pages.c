#define _GNU_SOURCE
#include "platform/huge_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/system.h"

static _Atomic int wanted;           /* shared: relaxed, hp_huge_pages; set from the options */
static _Atomic bool system_has_them; /* shared: relaxed, set by the purger's thread */

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

void hp_huge_pages_ask_system(void)
{
    char text[64] = "";
    int saved_errno = errno;
    int file = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t length = read(file, text, sizeof text - 1);
        text[length > 0 ? length : 0] = 0;
        close(file);
    }
    errno = saved_errno;
    /* relaxed: a choice, nothing depends on its order */
    atomic_store_explicit(&system_has_them, strstr(text, "[always]") != NULL, memory_order_relaxed);
}

/* The huge page that the address lies in would reach beyond the range. */
static bool is_cut(uintptr_t address, uintptr_t start, uintptr_t end)
{
    uintptr_t first = address & ~(uintptr_t)(HP_HUGE_PAGE_BYTES - 1);
    return first < start || first + HP_HUGE_PAGE_BYTES > end;
}

unsigned hp_huge_pages_cut(char *address, size_t bytes, char *cut[2])
{
    uintptr_t start = (uintptr_t)address;
    uintptr_t end = start + bytes;
    char *last = address + (bytes - hp_page_bytes());
    unsigned count = 0;
    if (is_cut(start, start, end)) {
        cut[count++] = address;
    }
    if ((start ^ (uintptr_t)last) >= HP_HUGE_PAGE_BYTES && is_cut((uintptr_t)last, start, end)) {
        cut[count++] = last;
    }
    return count;
}

static bool are_likely(void)
{
    /* relaxed: choices, nothing depends on their order */
    int policy = atomic_load_explicit(&wanted, memory_order_relaxed);
    return policy == HP_HUGE_PAGES_ALWAYS ||
           (policy == HP_HUGE_PAGES_DEFAULT &&
            atomic_load_explicit(&system_has_them, memory_order_relaxed));
}

void hp_huge_pages_split(void *address, size_t bytes)
{
    if (!are_likely()) {
        return;
    }
    char *cut[2];
    int saved_errno = errno;
    for (unsigned count = hp_huge_pages_cut(address, bytes, cut); count > 0; count--) {
        syscall(SYS_madvise, cut[count - 1], hp_page_bytes(), MADV_COLD);
    }
    errno = saved_errno;
}
