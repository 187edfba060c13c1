/*
 * tasks: the threads of the process, and what the kernel says of the purger's.
 */
#pragma once

#include <dirent.h>

#include "scene.h"

typedef struct task {
    int count;
    long purger; /* thread id, 0: there is none */
} task;

static inline void read_file(const char *path, char *text, size_t bytes)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, bytes - 1);
    text[length < 0 ? 0 : length] = '\0';
    if (file >= 0) {
        close(file);
    }
}

static inline task tasks(void)
{
    task found = {0};
    DIR *directory = opendir("/proc/self/task");
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] != '.') {
            char path[300];
            char name[64];
            snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
            read_file(path, name, sizeof name);
            found.count++;
            if (strcmp(name, "hepta-purger\n") == 0) {
                found.purger = atol(entry->d_name);
            }
        }
    }
    closedir(directory);
    return found;
}

/* Without a call of malloc, which would be work for the purger. */
static inline unsigned long long purger_status(long purger, const char *field, int base)
{
    static char text[8192];
    char path[100];
    snprintf(path, sizeof path, "/proc/self/task/%ld/status", purger);
    read_file(path, text, sizeof text);
    const char *line = strstr(text, field);
    expect(line != NULL, "the purger has a status");
    return strtoull(line + strlen(field), NULL, base);
}
