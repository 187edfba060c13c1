/*
 * Straight to the kernel, and without libc's string functions: this runs when the process starts, where
 * each function of libc that is touched first costs the program a page or sixteen.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/cgroup.h"
#include "platform/compiler.h"
#include "platform/system.h"

/* "QUOTA PERIOD" or "max PERIOD" in microseconds (cgroup v2, cpu.max), rounded up to whole processors. */
static unsigned processors_of_quota(const char *text)
{
    uint64_t quota = 0;
    uint64_t period = 0;
    const char *rest = hp_parse_number(text, &quota);
    if (rest == text || *rest != ' ') {
        return 0;
    }
    hp_parse_number(rest + 1, &period);
    return quota == 0 || period == 0 ? 0 : (unsigned)((quota + period - 1) / period);
}

static unsigned processors_of_affinity(void)
{
    /* Room for 8,192 processors: the kernel refuses a mask shorter than its own. */
    unsigned long mask[128] = {0};
    if (syscall(SYS_sched_getaffinity, 0, sizeof mask, mask) < 0) {
        return 1;
    }
    unsigned count = 0;
    for (size_t word = 0; word < sizeof mask / sizeof mask[0]; word++) {
        count += hp_count_bits(mask[word]);
    }
    return count == 0 ? 1 : count;
}

unsigned hp_usable_processors(void)
{
    int saved_errno = errno;
    unsigned processors = processors_of_affinity();
    char text[64];
    if (hp_cgroup_read("/cpu.max", 0, text, sizeof text) == HP_CGROUP_READ) {
        unsigned allowed = processors_of_quota(text);
        if (allowed != 0 && allowed < processors) {
            processors = allowed;
        }
    }
    errno = saved_errno;
    return processors;
}
