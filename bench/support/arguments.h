/*
 * arguments: key=value, the command line of every workload.
 *
 * A key that is absent has its default; one that is there twice has its first value. What is no number
 * where one is wanted, and a key that the workload does not know, end the program with status 2.
 *
 * Threads   any: nothing is written.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

long bench_argument(int argc, char **argv, const char *key, long otherwise);
double bench_argument_real(int argc, char **argv, const char *key, double otherwise);
const char *bench_argument_text(int argc, char **argv, const char *key, const char *otherwise);

/* The number that `key` has, which must lie in least..most. */
size_t bench_argument_within(int argc, char **argv, const char *key, size_t otherwise, size_t least,
                             size_t most);

/* The place that the word which `key` has takes in `choices`, words separated by spaces: 0, 1, ... */
unsigned bench_argument_choice(int argc, char **argv, const char *key, const char *otherwise,
                               const char *choices);

/* `amount` multiplied by the argument scale=, and at least 1. */
uint64_t bench_argument_scaled(int argc, char **argv, uint64_t amount);

/* `known` has the keys of the workload, separated by spaces: "threads scale sizes". */
void bench_arguments_check(int argc, char **argv, const char *known);
