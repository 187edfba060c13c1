#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The one table of the numbers: parser, help and description. */
static const struct number_option {
    const char *name;
    size_t offset;
    uint64_t standard;
    uint64_t low;
    uint64_t high;
    const char *help;
} number_options[] = {
    {"--seed", offsetof(pipeline_options, seed), 7, 0, UINT64_MAX, "of all random numbers"},
    {"--producers", offsetof(pipeline_options, producers), 4, 1, GROUP_MAX_THREADS,
     "threads that allocate"},
    {"--consumers", offsetof(pipeline_options, consumers), 4, 1, GROUP_MAX_THREADS,
     "threads that free"},
    {"--window", offsetof(pipeline_options, window_messages), 8192, 1, WINDOW_MAX_MESSAGES,
     "messages that each consumer keeps for a while"},
    {"--steady-ms", offsetof(pipeline_options, steady_ms), 3000, 1, 3600000,
     "each of the two steady phases"},
    {"--burst-mib", offsetof(pipeline_options, burst_mib), 320, 1, 65536, "size of the backlog"},
    {"--burst-ms", offsetof(pipeline_options, burst_ms), 1500, 1, 3600000,
     "time in which the backlog grows"},
    {"--hold-ms", offsetof(pipeline_options, hold_ms), 500, 1, 3600000, "time it stays"},
    {"--drain-ms", offsetof(pipeline_options, drain_ms), 1500, 1, 3600000,
     "time in which it is worked off"},
    {"--idle-ms", offsetof(pipeline_options, idle_ms), 4000, 1, 3600000, "no calls at the end"},
};

enum { NUMBER_OPTIONS = sizeof number_options / sizeof number_options[0] };

static uint64_t *number_in(pipeline_options *options, const struct number_option *option)
{
    return (uint64_t *)(void *)((char *)options + option->offset);
}

static void print_help(void)
{
    printf("pipeline: producers and consumers on whatever malloc the process has\n\n"
           "  --label NAME        name of the allocator, for the progress and the result\n"
           "  --csv FILE          one row every 50 ms: time, phase, RSS, live bytes, messages\n");
    for (unsigned i = 0; i < NUMBER_OPTIONS; i++) {
        printf("  %-13s %5" PRIu64 " %s\n", number_options[i].name, number_options[i].standard,
               number_options[i].help);
    }
}

static _Noreturn void refuse(const char *argument, const char *why)
{
    fprintf(stderr, "pipeline: %s: %s (see --help)\n", argument, why);
    exit(2);
}

static void set_number(pipeline_options *options, const char *name, const char *text)
{
    for (unsigned i = 0; i < NUMBER_OPTIONS; i++) {
        const struct number_option *option = &number_options[i];
        if (strcmp(name, option->name) != 0) {
            continue;
        }
        char *end;
        errno = 0;
        uint64_t value = strtoull(text, &end, 10);
        if (errno != 0 || end == text || *end != '\0' || text[0] == '-') {
            refuse(name, "needs a number");
        }
        if (value < option->low || value > option->high) {
            refuse(name, "out of range");
        }
        *number_in(options, option) = value;
        return;
    }
    refuse(name, "no such option");
}

pipeline_options options_parse(int argument_count, char *arguments[])
{
    pipeline_options options = {.label = "malloc"};
    for (unsigned i = 0; i < NUMBER_OPTIONS; i++) {
        *number_in(&options, &number_options[i]) = number_options[i].standard;
    }
    for (int i = 1; i < argument_count; i += 2) {
        const char *name = arguments[i];
        if (strcmp(name, "--help") == 0) {
            print_help();
            exit(0);
        }
        if (i + 1 == argument_count) {
            refuse(name, "needs a value");
        }
        const char *text = arguments[i + 1];
        if (strcmp(name, "--label") == 0) {
            options.label = text;
        } else if (strcmp(name, "--csv") == 0) {
            options.csv_path = text;
        } else {
            set_number(&options, name, text);
        }
    }
    return options;
}

void options_describe(const pipeline_options *options, char *text, int size_bytes)
{
    pipeline_options copy = *options;
    int used = snprintf(text, (size_t)size_bytes, "pipeline --label '%s'", options->label);
    for (unsigned i = 0; i < NUMBER_OPTIONS && used > 0 && used < size_bytes; i++) {
        used += snprintf(text + used, (size_t)(size_bytes - used), " %s %" PRIu64,
                         number_options[i].name, *number_in(&copy, &number_options[i]));
    }
}
