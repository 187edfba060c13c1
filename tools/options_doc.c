/*
 * options_doc markdown|man: the table of options as documentation. Built and run by options_doc.sh.
 */
#include <stdio.h>
#include <string.h>

#include "service/options.h"

static const char *values_of(const hp_option *option, hp_message *message)
{
    message->length = 0;
    hp_option_tell_values(option, message);
    message->text[message->length] = '\0';
    return message->text;
}

static void print_markdown(void)
{
    hp_message message;
    puts("# Options\n\n"
         "Written by `tools/options_doc.sh` from `src/service/options_table.c`.\n\n"
         "    HEPTA_OPTIONS=\"key:value,key:value\" program\n\n"
         "The variable is read once, when the process starts. What is not understood is named in "
         "one "
         "line on\nstderr and otherwise ignored. A set-user-ID program ignores the variable.\n"
         "A size is a number of bytes; with k, m or g behind it, of KiB, MiB or GiB.\n\n"
         "| key | value | default | |\n"
         "|---|---|---|---|");
    for (const hp_option *option = hp_option_table; option->name != NULL; option++) {
        printf("| `%s` | %s | %s | %s |\n", option->name, values_of(option, &message),
               option->initial != NULL ? option->initial : "", option->help);
    }
}

/* A minus that troff keeps as one. */
static void print_troff(const char *text)
{
    for (; *text != '\0'; text++) {
        printf(*text == '-' ? "\\-" : "%c", *text);
    }
}

static void print_man(void)
{
    hp_message message;
    for (const hp_option *option = hp_option_table; option->name != NULL; option++) {
        printf(".TP\n.B %s\n", option->name);
        if (option->initial != NULL) {
            print_troff(values_of(option, &message));
            printf(", default ");
            print_troff(option->initial);
            puts(".");
        }
        print_troff(option->help);
        puts("");
    }
}

int main(int argument_count, char **arguments)
{
    if (argument_count == 2 && strcmp(arguments[1], "markdown") == 0) {
        print_markdown();
    } else if (argument_count == 2 && strcmp(arguments[1], "man") == 0) {
        print_man();
    } else {
        fprintf(stderr, "usage: options_doc markdown|man\n");
        return 2;
    }
    return 0;
}
