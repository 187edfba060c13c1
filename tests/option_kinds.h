/*
 * option_kinds: a table with an option of every kind, and what the parser set last by it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "service/options.h"

enum { FLAG, NUMBER, SIZE, ROOM, COLOUR, WORD, OPTION_COUNT };

static struct {
    int calls;
    int64_t value;
} seen[OPTION_COUNT];

static void see(int option, int64_t value)
{
    seen[option].calls++;
    seen[option].value = value;
}

static void set_flag(int64_t value)
{
    see(FLAG, value);
}

static void set_number(int64_t value)
{
    see(NUMBER, value);
}

static void set_size(int64_t value)
{
    see(SIZE, value);
}

static void set_room(int64_t value)
{
    see(ROOM, value);
}

static void set_colour(int64_t value)
{
    see(COLOUR, value);
}

static void set_word(int64_t value)
{
    see(WORD, value);
}

static const char *const room_words[] = {"auto", "none", NULL};
static const char *const colours[] = {"red", "green", "blue", NULL};

static const hp_option table[] = {
    {.name = "flag", .kind = HP_OPTION_FLAG, .initial = "off", .help = "A.", .set = set_flag},
    {.name = "number",
     .kind = HP_OPTION_INTEGER,
     .least = -1,
     .most = 1000,
     .initial = "7",
     .help = "B.",
     .set = set_number},
    {.name = "size",
     .kind = HP_OPTION_SIZE,
     .least = 4096,
     .most = (int64_t)8 << 30,
     .initial = "1m",
     .help = "C.",
     .set = set_size},
    {.name = "room",
     .kind = HP_OPTION_SIZE,
     .least = 0,
     .most = (int64_t)8 << 30,
     .choices = room_words,
     .initial = "auto",
     .help = "F.",
     .set = set_room},
    {.name = "colour",
     .kind = HP_OPTION_CHOICE,
     .choices = colours,
     .initial = "red",
     .help = "D.",
     .set = set_colour},
    {.name = "word", .kind = HP_OPTION_WORD, .help = "E.", .set = set_word},
    {.name = NULL},
};
