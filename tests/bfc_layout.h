/*
 * A BFC range for tests, written as its chunks side by side: LAYOUT(3, -5, 1) is three used pages,
 * five free ones, one used. cmocka.h has to be included before.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "arena/bfc.h"

static hp_bfc bfc;
static hp_bfc_chunk table[4096];
static uint32_t at[16]; /* the handles of the layout, by position; void where it is free */

static inline void given_pages(uint32_t page_count)
{
    memset(table, 0, sizeof table);
    hp_bfc_init(&bfc, table, page_count);
}

/* Chunks side by side that fill the range: a positive count of pages is used, a negative free. */
static inline void given_layout(size_t count, const int *pages)
{
    uint32_t page_count = 0;
    for (size_t i = 0; i < count; i++) {
        page_count += (uint32_t)abs(pages[i]);
    }
    given_pages(page_count);
    for (size_t i = 0; i < count; i++) {
        at[i] = hp_bfc_allocate(&bfc, (uint32_t)abs(pages[i]), 1);
    }
    for (size_t i = 0; i < count; i++) {
        if (pages[i] < 0) {
            hp_bfc_free(&bfc, at[i], 100);
        }
    }
    assert_null(hp_bfc_check(&bfc));
}

/* The chunks are these, in physical order. */
static inline void then_layout(size_t count, const int *pages)
{
    uint32_t chunk = 0;
    for (size_t i = 0; i < count; i++, chunk = table[chunk].next) {
        assert_int_not_equal(chunk, HP_BFC_NONE);
        int found = (int)table[chunk].page_count;
        assert_int_equal(table[chunk].state == HP_BFC_FREE ? -found : found, pages[i]);
    }
    assert_int_equal(chunk, HP_BFC_NONE);
    assert_null(hp_bfc_check(&bfc));
}

#define LAYOUT(...)                                           \
    sizeof((int[]){__VA_ARGS__}) / sizeof(int), (const int[]) \
    {                                                         \
        __VA_ARGS__                                           \
    }

static inline void then_start_is(uint32_t chunk, uint32_t start_page)
{
    assert_int_not_equal(chunk, HP_BFC_NONE);
    assert_int_equal(table[chunk].start_page, start_page);
    assert_null(hp_bfc_check(&bfc));
}
