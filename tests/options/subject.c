/*
 * A program for run_options.sh to set options for. It does what its arguments say, one after the other.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_twice(void)
{
    void *volatile block = malloc(64);
    free(block);
    free(block);
}

static void use_memory(void)
{
    static void *volatile kept;
    kept = malloc(100000);
    for (unsigned bytes = 1; bytes < 3000000; bytes += bytes / 3 + 1) {
        free(malloc(bytes));
    }
}

int main(int argument_count, char **arguments)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int index = 1; index < argument_count; index++) {
        if (strcmp(arguments[index], "free-twice") == 0) {
            free_twice();
        } else if (strcmp(arguments[index], "use-memory") == 0) {
            use_memory();
        } else if (strcmp(arguments[index], "malloc-info") == 0) {
            malloc_info(0, stdout);
        } else {
            puts(arguments[index]);
        }
    }
    return 0;
}
