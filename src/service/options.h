/*
 * options: what the environment variable HEPTA_OPTIONS="key:value,key:value" asks for.
 *
 * One table is everything at once: the parser reads by it, HEPTA_OPTIONS=help prints it, and
 * tools/options_doc.sh writes docs/options.md and the manual page from it.
 *
 * Owns:        the table; what an option sets belongs to the module that is set.
 * Invariants:  (tests/spec_options.c)
 *   V1  the environment is read and never written, and nothing is allocated.
 *   V2  what is not understood is named in one line on stderr and changes nothing.
 *   V3  a default in the table is a value that the option takes.
 * Threads:     any; the first caller of hp_options_load does the work, the others go on at once.
 * Ordering:    none; what the options set is published by the modules that are set.
 * Progress:    wait-free but for the lines on stderr.
 * Calls:       report; statistics, misuse and thread through the table.   Used by: front.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "platform/report.h"

typedef enum hp_option_kind {
    HP_OPTION_FLAG,    /* on (1) or off (0) */
    HP_OPTION_INTEGER, /* decimal, from least to most */
    HP_OPTION_SIZE,    /* bytes, from least to most; k, m and g mean 2^10, 2^20 and 2^30. Where it
                          has choices, one of these words is -1, the next -2 ... */
    HP_OPTION_CHOICE,  /* one of several words; the value is its place among them */
    HP_OPTION_WORD,    /* the key alone, without a value */
} hp_option_kind;

typedef struct hp_option {
    const char *name;
    hp_option_kind kind;
    int64_t least;              /* of a number */
    int64_t most;               /* of a number */
    const char *const *choices; /* of a choice; ends with NULL */
    const char *initial;        /* the default, written as in HEPTA_OPTIONS; NULL for a word */
    const char *help;           /* one sentence */
    void (*set)(int64_t value);
} hp_option;

/* All options; ends with a row whose name is NULL. */
extern const hp_option hp_option_table[];

/* Reads HEPTA_OPTIONS, once per process; in a set-user-ID program it counts as empty. */
void hp_options_load(void);

/* Sets what the text asks for, by this table. NULL asks for nothing. */
void hp_options_parse(const hp_option *table, const char *text);

/* The table, a line per option, on stderr. */
void hp_options_show(const hp_option *table);

/* Appends the values that the option takes: "on or off", "a number from 0 to 7". */
void hp_option_tell_values(const hp_option *option, hp_message *message);
