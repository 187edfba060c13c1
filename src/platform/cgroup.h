/*
 * cgroup: files of the control group that the process is in (version 2), and of those above it.
 *
 * Owns:        nothing.
 * Invariants:  none.
 * Threads:     any.
 * Ordering:    none.
 * Progress:    as the kernel's calls; nothing is allocated, no descriptor stays open. errno may change.
 * Used by:     processors, pressure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A small file, whole and terminated; false when it cannot be read. */
bool hp_read_file(const char *path, char *text, size_t capacity);

/* The decimal number that the text begins with; what follows it. */
const char *hp_parse_number(const char *text, uint64_t *number);

typedef enum hp_cgroup_answer {
    HP_CGROUP_READ,
    HP_CGROUP_ABSENT, /* this group has no such file, or it cannot be read */
    HP_CGROUP_NONE    /* there is no group so many levels up */
} hp_cgroup_answer;

/* The file ("/memory.max") of the process's group, or of the one so many levels above. */
hp_cgroup_answer hp_cgroup_read(const char *name, unsigned levels_up, char *text, size_t capacity);
