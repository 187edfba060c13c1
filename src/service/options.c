#include "service/options.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "HEPTA_OPTIONS"

/* A longer word of the environment is cut off in messages, so that what is allowed still fits. */
#define SHOWN_MAX_BYTES 48u

/* A part of the environment's text, which is not ours to write to: so no terminating zeros. */
typedef struct excerpt {
    const char *start;
    size_t length;
} excerpt;

static bool is_word(excerpt text, const char *word)
{
    return strlen(word) == text.length && memcmp(text.start, word, text.length) == 0;
}

static bool is_blank(char character)
{
    return character == ' ' || character == '\t' || character == '\n';
}

static excerpt without_blanks(excerpt text)
{
    while (text.length > 0 && is_blank(text.start[0])) {
        text.start++;
        text.length--;
    }
    while (text.length > 0 && is_blank(text.start[text.length - 1])) {
        text.length--;
    }
    return text;
}

/* ---- values ---- */

static bool read_digits(excerpt *digits, uint64_t *number)
{
    if (digits->length == 0 || digits->start[0] < '0' || digits->start[0] > '9') {
        return false;
    }
    *number = 0;
    while (digits->length > 0 && digits->start[0] >= '0' && digits->start[0] <= '9') {
        uint64_t digit = (uint64_t)(digits->start[0] - '0');
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, digit, number)) {
            return false;
        }
        digits->start++;
        digits->length--;
    }
    return *number <= INT64_MAX;
}

static bool read_integer(excerpt text, int64_t *value)
{
    bool negative = text.length > 0 && text.start[0] == '-';
    if (negative) {
        text.start++;
        text.length--;
    }
    uint64_t number;
    if (!read_digits(&text, &number) || text.length != 0) {
        return false;
    }
    *value = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

/* The power of two that a suffix stands for, -1 when it is none. */
static int suffix_log2(excerpt suffix)
{
    static const char *const lower[] = {"", "k", "m", "g"};
    static const char *const upper[] = {"", "K", "M", "G"};
    for (int step = 0; step < 4; step++) {
        if (is_word(suffix, lower[step]) || is_word(suffix, upper[step])) {
            return 10 * step;
        }
    }
    return -1;
}

static bool read_size(excerpt text, int64_t *value)
{
    uint64_t number;
    if (!read_digits(&text, &number)) {
        return false;
    }
    int log2 = suffix_log2(text);
    if (log2 < 0 || number > (uint64_t)INT64_MAX >> log2) {
        return false;
    }
    *value = (int64_t)(number << log2);
    return true;
}

static bool read_choice(const char *const *choices, excerpt text, int64_t *value)
{
    for (int64_t place = 0; choices[place] != NULL; place++) {
        if (is_word(text, choices[place])) {
            *value = place;
            return true;
        }
    }
    return false;
}

static bool is_within(const hp_option *option, int64_t value)
{
    return value >= option->least && value <= option->most;
}

static bool read_value(const hp_option *option, excerpt text, int64_t *value)
{
    static const char *const flag[] = {"off", "on", NULL};
    switch (option->kind) {
    case HP_OPTION_FLAG:
        return read_choice(flag, text, value);
    case HP_OPTION_INTEGER:
        return read_integer(text, value) && is_within(option, *value);
    case HP_OPTION_SIZE:
        if (option->choices != NULL && read_choice(option->choices, text, value)) {
            *value = -1 - *value;
            return true;
        }
        return read_size(text, value) && is_within(option, *value);
    case HP_OPTION_CHOICE:
        return read_choice(option->choices, text, value);
    case HP_OPTION_WORD:
        *value = 1;
        return text.length == 0;
    }
    return false;
}

/* ---- what is allowed, in words ---- */

static void tell_number(int64_t number, hp_message *message)
{
    if (number < 0) {
        hp_message_text(message, "-");
    }
    hp_message_decimal(message, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

static void tell_size(int64_t bytes, hp_message *message)
{
    static const char *const suffixes[] = {"", "k", "m", "g"};
    unsigned step = 0;
    while (step < 3 && bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        step++;
    }
    tell_number(bytes, message);
    hp_message_text(message, suffixes[step]);
}

static void tell_choices(const char *const *choices, hp_message *message)
{
    for (unsigned place = 0; choices[place] != NULL; place++) {
        if (place > 0) {
            hp_message_text(message, choices[place + 1] == NULL ? " or " : ", ");
        }
        hp_message_text(message, choices[place]);
    }
}

void hp_option_tell_values(const hp_option *option, hp_message *message)
{
    switch (option->kind) {
    case HP_OPTION_FLAG:
        hp_message_text(message, "on or off");
        break;
    case HP_OPTION_INTEGER:
        hp_message_text(message, "a number from ");
        tell_number(option->least, message);
        hp_message_text(message, " to ");
        tell_number(option->most, message);
        break;
    case HP_OPTION_SIZE:
        hp_message_text(message, "a size in whole numbers, as 8192k, 512m or 2g, from ");
        tell_size(option->least, message);
        hp_message_text(message, " to ");
        tell_size(option->most, message);
        if (option->choices != NULL) {
            hp_message_text(message, ", or ");
            tell_choices(option->choices, message);
        }
        break;
    case HP_OPTION_CHOICE:
        tell_choices(option->choices, message);
        break;
    case HP_OPTION_WORD:
        hp_message_text(message, "no value");
        break;
    }
}

void hp_options_show(const hp_option *table)
{
    hp_message message;
    hp_message_begin(&message);
    hp_message_text(&message, VARIABLE "=\"key:value,key:value\"; the keys are:");
    hp_message_send(&message);
    for (const hp_option *option = table; option->name != NULL; option++) {
        hp_message_begin(&message);
        hp_message_text(&message, "  ");
        hp_message_text(&message, option->name);
        hp_message_text(&message, " (");
        hp_option_tell_values(option, &message);
        if (option->initial != NULL) {
            hp_message_text(&message, "; default ");
            hp_message_text(&message, option->initial);
        }
        hp_message_text(&message, "): ");
        hp_message_text(&message, option->help);
        hp_message_send(&message);
    }
}

/* ---- parsing ---- */

static void tell_excerpt(excerpt text, hp_message *message)
{
    bool cut = text.length > SHOWN_MAX_BYTES;
    hp_message_text(message, "'");
    hp_message_bytes(message, text.start, cut ? SHOWN_MAX_BYTES : text.length);
    hp_message_text(message, cut ? "...'" : "'");
}

static void report_unknown(const hp_option *table, excerpt key)
{
    hp_message message;
    hp_message_begin(&message);
    hp_message_text(&message, "unknown option ");
    tell_excerpt(key, &message);
    hp_message_text(&message, " in " VARIABLE "=key:value,key:value; known are: ");
    for (const hp_option *option = table; option->name != NULL; option++) {
        hp_message_text(&message, option == table ? "" : ", ");
        hp_message_text(&message, option->name);
    }
    hp_message_send(&message);
}

static void report_bad_value(const hp_option *option, excerpt value)
{
    hp_message message;
    hp_message_begin(&message);
    hp_message_text(&message, "bad value ");
    tell_excerpt(value, &message);
    hp_message_text(&message, " for option '");
    hp_message_text(&message, option->name);
    hp_message_text(&message, "' in " VARIABLE "; it takes ");
    hp_option_tell_values(option, &message);
    hp_message_send(&message);
}

static void apply(const hp_option *table, excerpt key, excerpt value)
{
    for (const hp_option *option = table; option->name != NULL; option++) {
        if (is_word(key, option->name)) {
            int64_t number;
            if (read_value(option, value, &number)) {
                option->set(number);
            } else {
                report_bad_value(option, value);
            }
            return;
        }
    }
    report_unknown(table, key);
}

void hp_options_parse(const hp_option *table, const char *text)
{
    while (text != NULL && *text != '\0') {
        size_t length = strcspn(text, ",");
        size_t key_length = strcspn(text, ":,");
        excerpt item = without_blanks((excerpt){text, length});
        excerpt key = without_blanks((excerpt){text, key_length});
        excerpt value = {text + length, 0};
        if (key_length < length) {
            value = without_blanks((excerpt){text + key_length + 1, length - key_length - 1});
        }
        if (item.length > 0) {
            apply(table, key, value);
        }
        text += length + (text[length] == ',');
    }
}

void hp_options_load(void)
{
    static _Atomic bool loaded; /* shared: relaxed, who sets it first does the work */
    /* Before libc has its environment there is nothing to read: a later call will. */
    /* relaxed: a thread that reads an old value finds out by the exchange */
    if (environ == NULL || atomic_load_explicit(&loaded, memory_order_relaxed)) {
        return;
    }
    /* relaxed: the work publishes nothing through this flag */
    if (!atomic_exchange_explicit(&loaded, true, memory_order_relaxed)) {
        hp_options_parse(hp_option_table, secure_getenv(VARIABLE));
    }
}
