#include "owner/holes.h"

#include <stdbool.h>

#include "platform/compiler.h"

/* Where runs of so many bits begin in the word; bits is at most 64. */
static uint64_t runs_of(uint64_t word, unsigned bits)
{
    while (bits > 1) {
        word &= word >> bits / 2;
        bits -= bits / 2;
    }
    return word;
}

/* The largest n for which 2^n bits in a row are set; one is. */
static unsigned run_log2(uint64_t word)
{
    unsigned log2 = 0;
    for (; log2 < 6; log2++) {
        uint64_t twice_as_long = word & word >> (1u << log2);
        if (twice_as_long == 0) {
            break;
        }
        word = twice_as_long;
    }
    return log2;
}

/* Where the run begins that has the bit. */
static uint32_t begin_of(const uint64_t *words, uint32_t bit)
{
    unsigned word = bit / 64;
    uint64_t gaps = ~words[word] & (((uint64_t)2 << bit % 64) - 1);
    while (gaps == 0 && word > 0) {
        gaps = ~words[--word];
    }
    return gaps == 0 ? 0 : word * 64 + hp_highest_bit(gaps) + 1;
}

/* Behind the last bit of the run that has the bit. */
static uint32_t end_of(const uint64_t *words, unsigned word_count, uint32_t bit)
{
    unsigned word = bit / 64;
    uint64_t gaps = ~words[word] & ~(uint64_t)0 << bit % 64;
    while (gaps == 0 && ++word < word_count) {
        gaps = ~words[word];
    }
    return gaps == 0 ? word_count * 64 : word * 64 + hp_lowest_bit(gaps);
}

static bool last_bit_is_set(uint64_t word)
{
    return word >> 63 != 0;
}

/* Where the run begins that reaches the end of the word, but not before the word. */
static uint32_t begin_of_last(const uint64_t *words, unsigned word)
{
    uint64_t gaps = ~words[word];
    return gaps == 0 ? word * 64 : word * 64 + hp_highest_bit(gaps) + 1;
}

uint32_t hp_holes_find(const uint64_t *words, unsigned word_count, unsigned first_word,
                       unsigned bits)
{
    bool goes_on = false; /* a run of the word before that was too short, with all of this one's */
    for (unsigned word = first_word; word < word_count; word++) {
        uint64_t begins = bits <= 64 ? runs_of(words[word], bits) : 0;
        if (begins != 0) {
            return word * 64 + hp_lowest_bit(begins);
        }
        goes_on = goes_on && ~words[word] == 0;
        if (last_bit_is_set(words[word]) && !goes_on) {
            uint32_t begin = begin_of_last(words, word);
            if (end_of(words, word_count, begin) - begin >= bits) {
                return begin;
            }
            goes_on = true;
        }
    }
    return HP_NO_HOLE;
}

static unsigned log2_across(const uint64_t *words, unsigned word_count, uint32_t bit)
{
    return hp_highest_bit(end_of(words, word_count, bit) - begin_of(words, bit));
}

unsigned hp_holes_log2_at(const uint64_t *words, unsigned word_count, unsigned word)
{
    unsigned largest = run_log2(words[word]);
    if ((words[word] & 1) != 0) {
        unsigned across = log2_across(words, word_count, word * 64);
        largest = across > largest ? across : largest;
    }
    if (last_bit_is_set(words[word])) {
        unsigned across = log2_across(words, word_count, word * 64 + 63);
        largest = across > largest ? across : largest;
    }
    return largest;
}

unsigned hp_holes_log2(const uint64_t *words, unsigned word_count)
{
    unsigned largest = 0;
    for (unsigned word = 0; word < word_count; word++) {
        if (words[word] != 0) {
            unsigned log2 = hp_holes_log2_at(words, word_count, word);
            largest = log2 > largest ? log2 : largest;
        }
    }
    return largest;
}
