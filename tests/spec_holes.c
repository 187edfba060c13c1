/*
 * Runs of free slots in a bitmap, against a walk bit by bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "owner/holes.h"
#include "platform/compiler.h"

enum { WORDS = 5, BITS = WORDS * 64, BITMAPS = 3000 };

static uint64_t words[WORDS];
static uint64_t random_state = 1;

static uint64_t next_random(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 33;
}

static bool is_set(unsigned bit)
{
    return (words[bit / 64] >> bit % 64 & 1) != 0;
}

/* Runs of about so many bits, and gaps of about so many. */
static void given_runs(unsigned run_bits, unsigned gap_bits)
{
    unsigned bit = 0;
    for (unsigned word = 0; word < WORDS; word++) {
        words[word] = 0;
    }
    while (bit < BITS) {
        bit += (unsigned)(next_random() % gap_bits) + 1;
        unsigned end = bit + (unsigned)(next_random() % run_bits) + 1;
        for (; bit < end && bit < BITS; bit++) {
            words[bit / 64] |= (uint64_t)1 << bit % 64;
        }
    }
}

static unsigned length_at(unsigned bit)
{
    unsigned length = 0;
    while (bit + length < BITS && is_set(bit + length)) {
        length++;
    }
    return length;
}

static uint32_t first_of(unsigned first_word, unsigned bits)
{
    for (unsigned bit = first_word * 64; bit < BITS; bit++) {
        if (length_at(bit) >= bits) {
            return bit;
        }
    }
    return HP_NO_HOLE;
}

/* Of the runs that have a bit in the words from first to before end. */
static unsigned longest_in(unsigned first, unsigned end)
{
    unsigned longest = 0;
    for (unsigned bit = 0; bit < end * 64; bit++) {
        unsigned length = length_at(bit);
        if (bit + length > first * 64 && length > longest) {
            longest = length;
        }
    }
    return longest;
}

static void the_first_run_that_is_long_enough_is_found(void **state)
{
    (void)state;
    static const unsigned lengths[] = {1, 2, 3, 7, 31, 63, 64, 65, 100, 128, 129, 200, BITS};
    for (unsigned bitmap = 0; bitmap < BITMAPS; bitmap++) {
        given_runs(bitmap % 170 + 1, bitmap % 7 + 1);
        unsigned bits = lengths[bitmap % (sizeof lengths / sizeof *lengths)];
        unsigned first_word = (unsigned)(next_random() % WORDS);
        assert_int_equal(hp_holes_find(words, WORDS, first_word, bits), first_of(first_word, bits));
    }
}

static void a_bitmap_of_ones_is_one_run(void **state)
{
    (void)state;
    for (unsigned word = 0; word < WORDS; word++) {
        words[word] = ~(uint64_t)0;
    }

    assert_int_equal(hp_holes_find(words, WORDS, 0, BITS), 0);
    assert_int_equal(hp_holes_find(words, WORDS, 0, BITS + 1), HP_NO_HOLE);
    assert_int_equal(hp_holes_log2(words, WORDS), hp_highest_bit(BITS));
    assert_int_equal(hp_holes_log2_at(words, WORDS, 2), hp_highest_bit(BITS));
}

static void the_longest_run_is_known_by_its_highest_bit(void **state)
{
    (void)state;
    for (unsigned bitmap = 0; bitmap < BITMAPS; bitmap++) {
        given_runs(bitmap % 170 + 1, bitmap % 7 + 1);
        assert_int_equal(hp_holes_log2(words, WORDS), hp_highest_bit(longest_in(0, WORDS)));
        for (unsigned word = 0; word < WORDS; word++) {
            if (words[word] != 0) {
                assert_int_equal(hp_holes_log2_at(words, WORDS, word),
                                 hp_highest_bit(longest_in(word, word + 1)));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_run_that_is_long_enough_is_found),
        cmocka_unit_test(a_bitmap_of_ones_is_one_run),
        cmocka_unit_test(the_longest_run_is_known_by_its_highest_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
