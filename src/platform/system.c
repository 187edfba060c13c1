#define _GNU_SOURCE
#include "platform/system.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "platform/compiler.h"
#include "platform/crossing.h"
#include "platform/huge_pages.h"
#include "platform/limit.h"

/*
 * A preloaded library may interpose mmap and allocate inside it, so the plain build goes straight to
 * the kernel. ThreadSanitizer and AddressSanitizer must see each mapping to keep their shadow right.
 */
#if HP_SANITIZED
/*
 * ThreadSanitizer sees no mremap: that the kernel gives an address to one thread after another thread's pages have left
 * it has to be said. Of mmap and munmap it knows.
 */
static char address_space;

static void *call_mmap(void *hint, size_t bytes)
{
    return mmap(hint, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static long call_munmap(void *address, size_t bytes)
{
    return munmap(address, bytes);
}

static void *call_mremap(void *address, size_t old_bytes, size_t new_bytes, int flags, void *target)
{
    hp_tell_release(&address_space);
    void *result = mremap(address, old_bytes, new_bytes, flags, target);
    hp_tell_acquire(&address_space);
    return result;
}
#else
static void *call_mmap(void *hint, size_t bytes)
{
    return (void *)syscall(SYS_mmap, hint, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
}

static long call_munmap(void *address, size_t bytes)
{
    return syscall(SYS_munmap, address, bytes);
}

static void *call_mremap(void *address, size_t old_bytes, size_t new_bytes, int flags, void *target)
{
    return (void *)syscall(SYS_mremap, address, old_bytes, new_bytes, flags, target);
}
#endif

static void *kernel_map(void *hint, size_t bytes)
{
    if (!hp_limit_add(bytes)) {
        return NULL;
    }
    int saved_errno = errno;
    void *address = call_mmap(hint, bytes);
    errno = saved_errno;
    if (address != MAP_FAILED) {
        return address;
    }
    hp_limit_take_off(bytes);
    return NULL;
}

static bool kernel_unmap(void *address, size_t bytes)
{
    int saved_errno = errno;
    long result = call_munmap(address, bytes);
    errno = saved_errno;
    if (result != 0) {
        return false;
    }
    hp_limit_take_off(bytes);
    return true;
}

static bool call_madvise(void *address, size_t bytes, int advice)
{
    int saved_errno = errno;
    long result = syscall(SYS_madvise, address, bytes, advice);
    errno = saved_errno;
    return result == 0;
}

static bool kernel_discard(void *address, size_t bytes)
{
    hp_huge_pages_split(address, bytes);
    return call_madvise(address, bytes, MADV_DONTNEED);
}

static bool kernel_dump(void *address, size_t bytes, bool wanted)
{
    return call_madvise(address, bytes, wanted ? MADV_DODUMP : MADV_DONTDUMP);
}

/* PIDFD_SELF_THREAD of Linux 6.15: this process, without a descriptor that the program might close. */
#define THIS_PROCESS (-10000)

static _Atomic bool batches; /* shared: relaxed, hp_system_use_batches */

/* The kernel's struct iovec. */
_Static_assert(sizeof(hp_address_range) == sizeof(struct iovec) &&
                   offsetof(hp_address_range, address) == offsetof(struct iovec, iov_base) &&
                   offsetof(hp_address_range, bytes) == offsetof(struct iovec, iov_len),
               "the ranges are handed to the kernel as they are");

/* Bytes of the ranges that went, whole ranges from the first on; -1: none did. */
static long call_process_madvise(const hp_address_range *ranges, unsigned count)
{
    int saved_errno = errno;
    long bytes = syscall(SYS_process_madvise, THIS_PROCESS, ranges, count, MADV_DONTNEED, 0);
    errno = saved_errno;
    return bytes;
}

void hp_system_use_batches(bool wanted)
{
    /* An older kernel has no such process, or allows this advice to no process. */
    bool granted = wanted && call_process_madvise(NULL, 0) == 0;
    /* relaxed: a choice, nothing depends on its order */
    atomic_store_explicit(&batches, granted, memory_order_relaxed);
}

static unsigned kernel_discard_all(const hp_address_range *ranges, unsigned count)
{
    unsigned done = 0;
    /* relaxed: as above */
    if (count > 1 && atomic_load_explicit(&batches, memory_order_relaxed)) {
        for (unsigned range = 0; range < count; range++) {
            hp_huge_pages_split(ranges[range].address, ranges[range].bytes);
        }
        for (long bytes = call_process_madvise(ranges, count); bytes > 0; done++) {
            bytes -= (long)ranges[done].bytes;
        }
    }
    /* What the batch did not do is asked for range by range: the answer is the same. */
    while (done < count && kernel_discard(ranges[done].address, ranges[done].bytes)) {
        done++;
    }
    return done;
}

/* What was mapped at a target is counted already, and the pages that move there are counted no more. */
static void *kernel_remap(void *address, size_t old_bytes, size_t new_bytes, void *target)
{
    bool replaces = target != NULL && target != HP_ANYWHERE;
    size_t grown_bytes = replaces || new_bytes < old_bytes ? 0 : new_bytes - old_bytes;
    if (!hp_limit_add(grown_bytes)) {
        return NULL;
    }
    int saved_errno = errno;
    int flags = target == NULL          ? 0
                : target == HP_ANYWHERE ? MREMAP_MAYMOVE
                                        : MREMAP_MAYMOVE | MREMAP_FIXED;
    void *result = call_mremap(address, old_bytes, new_bytes, flags, target);
    errno = saved_errno;
    if (result == MAP_FAILED) {
        hp_limit_take_off(grown_bytes);
        return NULL;
    }
    hp_limit_take_off(replaces ? old_bytes : old_bytes + grown_bytes - new_bytes);
    return result;
}

/* The lowest bit of a byte per page answers. Not more at once: the stack of a signal handler may be small. */
#define PAGES_ASKED_AT_ONCE 2048u

/* SIZE_MAX: refused. */
static size_t resident_pages(char *first, size_t page_count)
{
    uint64_t answers[PAGES_ASKED_AT_ONCE / 8] = {0};
    if (syscall(SYS_mincore, first, page_count * hp_page_bytes(), answers) != 0) {
        return SIZE_MAX;
    }
    size_t count = 0;
    for (size_t word = 0; word * 8 < page_count; word++) {
        count += hp_count_bits(answers[word] & 0x0101010101010101u);
    }
    return count;
}

static _Atomic uint32_t withheld; /* shared: relaxed; questions that were not put to the kernel */

static bool is_withheld(void)
{
    /* relaxed: a count, and there is one thread */
    return hp_is_single_threaded() &&
           atomic_load_explicit(&withheld, memory_order_relaxed) < HP_RESIDENT_WITHHELD &&
           atomic_fetch_add_explicit(&withheld, 1, memory_order_relaxed) < HP_RESIDENT_WITHHELD;
}

static size_t kernel_resident_bytes(void *address, size_t bytes)
{
    if (is_withheld()) {
        return SIZE_MAX;
    }
    int saved_errno = errno;
    char *first = address;
    size_t page_count = bytes / hp_page_bytes();
    size_t resident = 0;
    for (size_t page = 0; page < page_count && resident != SIZE_MAX;) {
        size_t left = page_count - page;
        size_t asked = left < PAGES_ASKED_AT_ONCE ? left : PAGES_ASKED_AT_ONCE;
        size_t found = resident_pages(first + page * hp_page_bytes(), asked);
        resident = found == SIZE_MAX ? SIZE_MAX : resident + found;
        page += asked;
    }
    errno = saved_errno;
    return resident == SIZE_MAX ? SIZE_MAX : resident * hp_page_bytes();
}

static uint64_t kernel_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

const hp_system_calls hp_system_kernel = {
    .map = kernel_map,
    .unmap = kernel_unmap,
    .discard = kernel_discard,
    .discard_all = kernel_discard_all,
    .dump = kernel_dump,
    .remap = kernel_remap,
    .resident_bytes = kernel_resident_bytes,
    .now_ms = kernel_now_ms,
};

const hp_system_calls *hp_system = &hp_system_kernel;

_Atomic size_t hp_known_page_bytes;

size_t hp_find_page_bytes(void)
{
    size_t page_bytes = (size_t)getauxval(AT_PAGESZ);
    if (!hp_is_power_of_two(page_bytes) || page_bytes < 4096 || page_bytes > 65536) {
        page_bytes = 4096;
    }
    /* relaxed: every thread stores the same constant */
    atomic_store_explicit(&hp_known_page_bytes, page_bytes, memory_order_relaxed);
    return page_bytes;
}
