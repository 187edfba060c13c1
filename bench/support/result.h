/*
 * result: how a workload ends.
 *
 * An operation is a block that was allocated and freed again, if nothing else is said.
 *
 * Threads   bench_fail: any; the others: main.
 */
#pragma once

#include <stdint.h>

/* Prints the line `seconds=0.512345 operations=12000000`; the value, 0, is main's. */
int bench_result(double seconds, uint64_t operations);

/* The same line with one more figure at its end, ` what=value`. */
int bench_result_with(double seconds, uint64_t operations, const char *what, uint64_t value);

/* One line on stderr, and the program ends with status 1, whichever thread calls. */
_Noreturn void bench_fail(const char *what);
