/*
 * Straight to the kernel, and without libc's string functions: this runs when the process starts, where
 * each function of libc that is touched first costs the program a page or sixteen.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/compiler.h"
#include "platform/system.h"

/* A small file, whole and terminated; false when it cannot be read. */
static bool read_file(const char *path, char *text, size_t capacity)
{
    long descriptor = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return false;
    }
    long count = syscall(SYS_read, descriptor, text, capacity - 1);
    syscall(SYS_close, descriptor);
    if (count < 0) {
        return false;
    }
    text[count] = '\0';
    return true;
}

static const char *parse_number(const char *text, uint64_t *number)
{
    *number = 0;
    while (*text >= '0' && *text <= '9') {
        *number = *number * 10 + (uint64_t)(*text++ - '0');
    }
    return text;
}

/* "QUOTA PERIOD" or "max PERIOD" in microseconds (cgroup v2, cpu.max), rounded up to whole processors. */
static unsigned processors_of_quota(const char *text)
{
    uint64_t quota = 0;
    uint64_t period = 0;
    const char *rest = parse_number(text, &quota);
    if (rest == text || *rest != ' ') {
        return 0;
    }
    parse_number(rest + 1, &period);
    return quota == 0 || period == 0 ? 0 : (unsigned)((quota + period - 1) / period);
}

/* Appends a text up to its end or a newline; NULL when it does not fit. */
static char *append(char *end, const char *limit, const char *text)
{
    while (*text != '\0' && *text != '\n') {
        if (end == limit) {
            return NULL;
        }
        *end++ = *text++;
    }
    return end;
}

/* What follows "0::" at the start of a line of /proc/self/cgroup: the path in the unified hierarchy. */
static const char *unified_path(const char *text)
{
    for (bool line_start = true; *text != '\0'; line_start = *text++ == '\n') {
        if (line_start && text[0] == '0' && text[1] == ':' && text[2] == ':') {
            return text + 3;
        }
    }
    return NULL;
}

static bool cgroup_cpu_max_path(char *path, size_t capacity)
{
    char text[1024];
    const char *own_path =
        read_file("/proc/self/cgroup", text, sizeof text) ? unified_path(text) : NULL;
    if (own_path == NULL) {
        return false;
    }
    const char *limit = path + capacity - 1;
    char *end = append(path, limit, "/sys/fs/cgroup");
    end = end == NULL ? NULL : append(end, limit, own_path);
    end = end == NULL ? NULL : append(end, limit, "/cpu.max");
    if (end == NULL) {
        return false;
    }
    *end = '\0';
    return true;
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
    char path[1100];
    char text[64];
    if (cgroup_cpu_max_path(path, sizeof path) && read_file(path, text, sizeof text)) {
        unsigned allowed = processors_of_quota(text);
        if (allowed != 0 && allowed < processors) {
            processors = allowed;
        }
    }
    errno = saved_errno;
    return processors;
}
