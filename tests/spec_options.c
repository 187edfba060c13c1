/*
 * The options: what of HEPTA_OPTIONS is understood, and what is said about the rest. Most tests bring a
 * table of their own, with an option of every kind. What each real option does is in run_options.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "option_kinds.h"
#include "service/options.h"
#include "support/stderr_text.h"

/* What is said on stderr while the text is parsed. */
static const char *when_parsed(const char *text)
{
    memset(seen, 0, sizeof seen);
    stderr_capture();
    hp_options_parse(table, text);
    return stderr_captured();
}

static void then_set(int option, int64_t value)
{
    assert_int_equal(seen[option].calls, 1);
    assert_int_equal(seen[option].value, value);
}

static void then_nothing_is_set(void)
{
    for (int option = 0; option < OPTION_COUNT; option++) {
        assert_int_equal(seen[option].calls, 0);
    }
}

static void then_accepted(const char *text, int option, int64_t value)
{
    assert_string_equal(when_parsed(text), "");
    then_set(option, value);
}

static void then_refused(const char *text, const char *value, const char *option,
                         const char *allowed)
{
    const char *said = when_parsed(text);
    char wanted[256];
    snprintf(wanted, sizeof wanted,
             "hepta: bad value '%s' for option '%s' in HEPTA_OPTIONS; it takes %s\n", value, option,
             allowed);
    assert_string_equal(said, wanted);
    then_nothing_is_set();
}

/* ---- values ---- */

static void a_flag_is_on_or_off(void **state)
{
    (void)state;
    then_accepted("flag:on", FLAG, 1);
    then_accepted("flag:off", FLAG, 0);
    then_refused("flag:yes", "yes", "flag", "on or off");
    then_refused("flag:onn", "onn", "flag", "on or off");
    then_refused("flag:o", "o", "flag", "on or off");
}

static void a_number_keeps_within_its_bounds(void **state)
{
    (void)state;
    then_accepted("number:-1", NUMBER, -1);
    then_accepted("number:0", NUMBER, 0);
    then_accepted("number:1000", NUMBER, 1000);
    then_refused("number:1001", "1001", "number", "a number from -1 to 1000");
    then_refused("number:-2", "-2", "number", "a number from -1 to 1000");
}

static void a_number_is_digits_and_nothing_else(void **state)
{
    (void)state;
    then_refused("number:-", "-", "number", "a number from -1 to 1000");
    then_refused("number:7x", "7x", "number", "a number from -1 to 1000");
    then_refused("number:0x7", "0x7", "number", "a number from -1 to 1000");
    then_refused("number:7k", "7k", "number", "a number from -1 to 1000");
    then_refused("number:18446744073709551617", "18446744073709551617", "number",
                 "a number from -1 to 1000");
}

static void a_size_has_a_suffix_of_a_power_of_1024(void **state)
{
    (void)state;
    then_accepted("size:4096", SIZE, 4096);
    then_accepted("size:5k", SIZE, 5 * 1024);
    then_accepted("size:6M", SIZE, 6 * 1024 * 1024);
    then_accepted("size:8g", SIZE, (int64_t)8 << 30);
    then_refused("size:9g", "9g", "size",
                 "a size in whole numbers, as 8192k, 512m or 2g, from 4k to 8g");
    then_refused("size:4095", "4095", "size",
                 "a size in whole numbers, as 8192k, 512m or 2g, from 4k to 8g");
    then_refused("size:5kb", "5kb", "size",
                 "a size in whole numbers, as 8192k, 512m or 2g, from 4k to 8g");
    then_refused("size:k", "k", "size",
                 "a size in whole numbers, as 8192k, 512m or 2g, from 4k to 8g");
    then_refused("size:-5k", "-5k", "size",
                 "a size in whole numbers, as 8192k, 512m or 2g, from 4k to 8g");
}

static void a_size_can_be_a_word_too_where_the_option_has_words(void **state)
{
    (void)state;
    then_accepted("room:auto", ROOM, -1);
    then_accepted("room:none", ROOM, -2);
    then_accepted("room:2g", ROOM, (int64_t)2 << 30);
    then_refused("room:aut", "aut", "room",
                 "a size in whole numbers, as 8192k, 512m or 2g, from 0 to 8g, or auto or none");
    then_refused("size:auto", "auto", "size",
                 "a size in whole numbers, as 8192k, 512m or 2g, from 4k to 8g");
}

static void a_size_that_overflows_is_no_small_one(void **state)
{
    (void)state;
    /* 2^34 + 4 GiB: the product is 4 GiB more than 2^64. */
    then_refused("size:17179869188g", "17179869188g", "size",
                 "a size in whole numbers, as 8192k, 512m or 2g, from 4k to 8g");
    then_refused("size:9223372036854775808", "9223372036854775808", "size",
                 "a size in whole numbers, as 8192k, 512m or 2g, from 4k to 8g");
}

static void a_choice_is_one_of_its_words(void **state)
{
    (void)state;
    then_accepted("colour:red", COLOUR, 0);
    then_accepted("colour:blue", COLOUR, 2);
    then_refused("colour:pink", "pink", "colour", "red, green or blue");
    then_refused("colour:Red", "Red", "colour", "red, green or blue");
}

static void a_word_takes_no_value(void **state)
{
    (void)state;
    then_accepted("word", WORD, 1);
    then_refused("word:on", "on", "word", "no value");
}

static void a_value_that_is_missing_is_a_bad_one(void **state)
{
    (void)state;
    then_refused("flag", "", "flag", "on or off");
    then_refused("number:", "", "number", "a number from -1 to 1000");
}

/* ---- the list ---- */

static void options_are_separated_by_commas(void **state)
{
    (void)state;
    assert_string_equal(when_parsed("flag:on,size:64k,word,colour:green"), "");
    then_set(FLAG, 1);
    then_set(SIZE, 65536);
    then_set(WORD, 1);
    then_set(COLOUR, 1);
    assert_int_equal(seen[NUMBER].calls, 0);
}

static void of_two_values_the_later_one_stays(void **state)
{
    (void)state;
    assert_string_equal(when_parsed("number:1,number:2"), "");
    assert_int_equal(seen[NUMBER].value, 2);
}

static void blanks_and_empty_items_are_passed_over(void **state)
{
    (void)state;
    assert_string_equal(when_parsed(" ,, flag : on ,\tnumber:3\n,"), "");
    then_set(FLAG, 1);
    then_set(NUMBER, 3);
}

static void nothing_asks_for_nothing(void **state)
{
    (void)state;
    assert_string_equal(when_parsed(""), "");
    assert_string_equal(when_parsed(NULL), "");
    then_nothing_is_set();
}

static void an_unknown_key_is_named_and_the_others_are_set(void **state)
{
    (void)state;
    const char *said = when_parsed("foo:1,flag:on,fla:on,number:5");
    assert_string_equal(said, "hepta: unknown option 'foo' in HEPTA_OPTIONS=key:value,key:value; "
                              "known are: flag, number, size, room, colour, word\n"
                              "hepta: unknown option 'fla' in HEPTA_OPTIONS=key:value,key:value; "
                              "known are: flag, number, size, room, colour, word\n");
    then_set(FLAG, 1);
    then_set(NUMBER, 5);
}

static void a_long_word_is_cut_so_that_the_known_ones_are_still_told(void **state)
{
    (void)state;
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    const char *said = when_parsed(text);
    assert_non_null(strstr(said, "x...' in HEPTA_OPTIONS=key:value,key:value; known are: flag, "
                                 "number, size, room, colour, word\n"));
    assert_true(strlen(said) < 200);
}

/* ---- the real table ---- */

static void every_default_is_a_value_that_its_option_takes(void **state)
{
    (void)state;
    for (const hp_option *option = hp_option_table; option->name != NULL; option++) {
        if (option->initial != NULL) {
            char text[128];
            snprintf(text, sizeof text, "%s:%s", option->name, option->initial);
            stderr_capture();
            hp_options_parse(hp_option_table, text);
            assert_string_equal(stderr_captured(), "");
        }
    }
}

static void help_names_every_option_with_its_sentence(void **state)
{
    (void)state;
    stderr_capture();
    hp_options_parse(hp_option_table, "help");
    const char *said = stderr_captured();
    for (const hp_option *option = hp_option_table; option->name != NULL; option++) {
        const char *line = strstr(said, option->name);
        assert_non_null(line);
        assert_non_null(strstr(line, option->help));
        assert_int_equal(option->help[strlen(option->help) - 1], '.');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flag_is_on_or_off),
        cmocka_unit_test(a_number_keeps_within_its_bounds),
        cmocka_unit_test(a_number_is_digits_and_nothing_else),
        cmocka_unit_test(a_size_has_a_suffix_of_a_power_of_1024),
        cmocka_unit_test(a_size_can_be_a_word_too_where_the_option_has_words),
        cmocka_unit_test(a_size_that_overflows_is_no_small_one),
        cmocka_unit_test(a_choice_is_one_of_its_words),
        cmocka_unit_test(a_word_takes_no_value),
        cmocka_unit_test(a_value_that_is_missing_is_a_bad_one),
        cmocka_unit_test(options_are_separated_by_commas),
        cmocka_unit_test(of_two_values_the_later_one_stays),
        cmocka_unit_test(blanks_and_empty_items_are_passed_over),
        cmocka_unit_test(nothing_asks_for_nothing),
        cmocka_unit_test(an_unknown_key_is_named_and_the_others_are_set),
        cmocka_unit_test(a_long_word_is_cut_so_that_the_known_ones_are_still_told),
        cmocka_unit_test(every_default_is_a_value_that_its_option_takes),
        cmocka_unit_test(help_names_every_option_with_its_sentence),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
