#include "support/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int bench_result(double seconds, uint64_t operations)
{
    printf("seconds=%.6f operations=%" PRIu64 "\n", seconds, operations);
    return 0;
}

int bench_result_with(double seconds, uint64_t operations, const char *what, uint64_t value)
{
    printf("seconds=%.6f operations=%" PRIu64 " %s=%" PRIu64 "\n", seconds, operations, what,
           value);
    return 0;
}

/* dprintf and _exit: the heap may be broken, and other threads go on. */
_Noreturn void bench_fail(const char *what)
{
    dprintf(STDERR_FILENO, "failed: %s\n", what);
    _exit(1);
}
