/*
 * holes: runs of set bits in a row of words. As a slab's bitmap, a bit is a free slot and a run is a hole.
 *
 * Owns:        nothing; pure.
 * Invariants:  none.
 * Threads:     whoever may read the words.
 * Ordering:    none.
 * Progress:    wait-free.
 * Calls:       nothing.   Used by: sparse, mixed.
 */
#pragma once

#include <stdint.h>

#define HP_NO_HOLE UINT32_MAX

/* Where the first so many bits in a row begin, in this word or later; HP_NO_HOLE: there are none. */
uint32_t hp_holes_find(const uint64_t *words, unsigned word_count, unsigned first_word,
                       unsigned bits);

/* The largest n for which a run that has a bit in the word has 2^n bits or more; the word is not 0. */
unsigned hp_holes_log2_at(const uint64_t *words, unsigned word_count, unsigned word);

/* The same of all words, of which one is not 0. */
unsigned hp_holes_log2(const uint64_t *words, unsigned word_count);
