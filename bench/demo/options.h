/* options: how long, how much and how many, read from the command line. */
#pragma once

#include <stdint.h>

enum { GROUP_MAX_THREADS = 32, WINDOW_MAX_MESSAGES = 65536 };

typedef struct pipeline_options {
    const char *label;
    const char *csv_path;
    uint64_t seed;
    uint64_t producers;
    uint64_t consumers;
    uint64_t window_messages; /* each consumer keeps this many of its latest messages */
    uint64_t steady_ms;
    uint64_t burst_mib; /* live bytes that the burst adds, as requested */
    uint64_t burst_ms;
    uint64_t hold_ms;
    uint64_t drain_ms;
    uint64_t idle_ms;
} pipeline_options;

/* Ends the program with a message when an argument is unknown or out of range, or with the list of
 * options for --help. */
pipeline_options options_parse(int argument_count, char *arguments[]);

/* The options in words, for the first line of the CSV file. */
void options_describe(const pipeline_options *options, char *text, int size_bytes);
