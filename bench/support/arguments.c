#include "support/arguments.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void refuse(const char *argument, const char *why)
{
    fprintf(stderr, "%s: %s\n", argument, why);
    exit(2);
}

const char *bench_argument_text(int argc, char **argv, const char *key, const char *otherwise)
{
    size_t length = strlen(key);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], key, length) == 0 && argv[i][length] == '=') {
            return argv[i] + length + 1;
        }
    }
    return otherwise;
}

long bench_argument(int argc, char **argv, const char *key, long otherwise)
{
    const char *text = bench_argument_text(argc, argv, key, NULL);
    if (text == NULL) {
        return otherwise;
    }
    char *end = NULL;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0) {
        refuse(key, "not a whole number");
    }
    return value;
}

double bench_argument_real(int argc, char **argv, const char *key, double otherwise)
{
    const char *text = bench_argument_text(argc, argv, key, NULL);
    if (text == NULL) {
        return otherwise;
    }
    char *end = NULL;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0) {
        refuse(key, "not a number");
    }
    return value;
}

size_t bench_argument_within(int argc, char **argv, const char *key, size_t otherwise, size_t least,
                             size_t most)
{
    long value = bench_argument(argc, argv, key, (long)otherwise);
    if (value < 0 || (size_t)value < least || (size_t)value > most) {
        fprintf(stderr, "%s: %ld is not in %zu..%zu\n", key, value, least, most);
        exit(2);
    }
    return (size_t)value;
}

uint64_t bench_argument_scaled(int argc, char **argv, uint64_t amount)
{
    double scale = bench_argument_real(argc, argv, "scale", 1.0);
    if (!(scale > 0 && scale <= 1e6)) {
        refuse("scale", "not in 0..1000000, or 0");
    }
    double scaled = (double)amount * scale;
    return scaled < 1 ? 1 : (uint64_t)scaled;
}

/* The place that the first `length` bytes of `text` take in `words`; as many as there are words, if
 * they take none. */
static unsigned place_among(const char *words, const char *text, size_t length)
{
    unsigned place = 0;
    for (; *words != '\0'; place++) {
        size_t word = strcspn(words, " ");
        if (word == length && strncmp(words, text, length) == 0) {
            return place;
        }
        words += word;
        words += strspn(words, " ");
    }
    return place;
}

static bool is_among(const char *words, const char *text, size_t length)
{
    return place_among(words, text, length) < place_among(words, "", 0);
}

unsigned bench_argument_choice(int argc, char **argv, const char *key, const char *otherwise,
                               const char *choices)
{
    const char *text = bench_argument_text(argc, argv, key, otherwise);
    if (!is_among(choices, text, strlen(text))) {
        fprintf(stderr, "%s: %s is none of: %s\n", key, text, choices);
        exit(2);
    }
    return place_among(choices, text, strlen(text));
}

void bench_arguments_check(int argc, char **argv, const char *known)
{
    for (int i = 1; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        if (equals == NULL || !is_among(known, argv[i], (size_t)(equals - argv[i]))) {
            fprintf(stderr, "usage: %s [key=value ...], keys: %s\n", argv[0], known);
            refuse(argv[i], "not an argument of this program");
        }
    }
}
