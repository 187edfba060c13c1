/*
 * Straight to the kernel, and without libc's string functions: this runs when the process starts, where
 * each function of libc that is touched first costs the program a page or sixteen.
 */
#define _GNU_SOURCE
#include "platform/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A small file, whole and terminated; false when it cannot be read. */
bool hp_read_file(const char *path, char *text, size_t capacity)
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

const char *hp_parse_number(const char *text, uint64_t *number)
{
    *number = 0;
    while (*text >= '0' && *text <= '9') {
        *number = *number * 10 + (uint64_t)(*text++ - '0');
    }
    return text;
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

/* Cuts so many parts off the end of a path that begins with root; false when it has not that many. */
static bool go_up(const char *root_end, char **end, unsigned levels)
{
    while (*end > root_end && (*end)[-1] == '/') {
        (*end)--;
    }
    for (; levels > 0; levels--) {
        if (*end == root_end) {
            return false;
        }
        do {
            (*end)--;
        } while (**end != '/');
    }
    return true;
}

hp_cgroup_answer hp_cgroup_read(const char *name, unsigned levels_up, char *text, size_t capacity)
{
    char membership[1024];
    char path[1200];
    const char *own_path = hp_read_file("/proc/self/cgroup", membership, sizeof membership)
                               ? unified_path(membership)
                               : NULL;
    const char *limit = path + sizeof path - 1;
    char *root_end = append(path, limit, "/sys/fs/cgroup");
    char *end = own_path == NULL ? NULL : append(root_end, limit, own_path);
    if (end == NULL || !go_up(root_end, &end, levels_up)) {
        return HP_CGROUP_NONE;
    }
    end = append(end, limit, name);
    if (end == NULL) {
        return HP_CGROUP_NONE;
    }
    *end = '\0';
    return hp_read_file(path, text, capacity) ? HP_CGROUP_READ : HP_CGROUP_ABSENT;
}
