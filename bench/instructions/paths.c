/*
 * Runs one path of an allocator a given number of times: paths NAME ROUNDS; paths list prints every name
 * and how many operations a round has. count.py runs a path twice under callgrind with different ROUNDS; the
 * difference is its steady state.
 *
 * callgrind counts only what is called from functions whose names begin with counted_; they are not
 * inlined. What a path needs besides is done by others.
 */
#include "instructions/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const path paths[] = {
    {"malloc-fast", 1000, malloc_fast, 64},
    {"free-fast", 1000, free_fast, 64},
    {"pair-64", 1000, pairs, 64},
    {"malloc-row", 1000, malloc_row, 64},
    {"free-row", 1000, free_row, 64},
    {"batch", 1000, batch_small, 0},
    {"remote", 1000, remote, 64},
    {"malloc-drain", 1000, malloc_drain, 64},
    {"free-remote", 1000, free_remote, 64},
    {"free-null", 1000, free_null, 0},
    {"calloc-64", 1000, calloc_pairs, 64},
    {"calloc-4096", 200, calloc_pairs, 4096},
    {"calloc-100k", 10, calloc_pairs, 100000},
    {"realloc-up", 1000, realloc_up, 0},
    {"realloc-double", 1000, realloc_double, 8 << 10},
    {"realloc-double-1m", 17, realloc_double, 1 << 20},
    {"aligned-64", 1000, aligned_pairs, 64},
    {"aligned-4096", 1000, aligned_pairs, 4096},
    {"pair-1536", 1000, pairs, 1536},
    {"pair-4096", 1000, pairs, 4096},
    {"pair-16k", 1000, pairs, 16384},
    {"batch-medium", 1000, batch_medium, 0},
    {"pair-40k", 1000, pairs, 40000},
    {"pair-100k", 1000, pairs, 100000},
    {"pair-1m", 1000, pairs, 1000000},
    {"batch-large", 100, batch_large, 0},
    {"pair-8m", 100, pairs, 8000000},
};

enum { PATHS = sizeof paths / sizeof paths[0] };

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "list") == 0) {
        for (size_t i = 0; i < PATHS; i++) {
            printf("%s %u\n", paths[i].name, paths[i].operations);
        }
        return 0;
    }
    if (count != 3) {
        fprintf(stderr, "usage: %s PATH ROUNDS | list\n", arguments[0]);
        return 2;
    }
    for (size_t i = 0; i < PATHS; i++) {
        if (strcmp(paths[i].name, arguments[1]) == 0) {
            paths[i].run(&paths[i], strtoul(arguments[2], NULL, 10));
            return 0;
        }
    }
    fprintf(stderr, "%s: no path '%s'\n", arguments[0], arguments[1]);
    return 2;
}
