/*
 * What a request costs, for every size from 1 to 32,768 bytes, beside what it costs in glibc: there, the
 * usable size and the 8 bytes of the header, which are measured here on the glibc that is installed.
 * `spec_footprint table` prints the table of the documentation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hepta/hepta.h"
#include "platform/compiler.h"

enum { LEAST_BYTES = 1, SMALL_BYTES = 1024, MOST_BYTES = 32768, HEADER_BYTES = 8 };

static size_t hepta_footprint(size_t request_bytes)
{
    void *block = hepta_malloc(request_bytes);
    assert_non_null(block);
    size_t bytes = hepta_malloc_usable_size(block);
    hepta_free(block);
    return bytes;
}

/* As if from a fresh heap: a chunk that lay about may be 16 bytes longer than was asked for. */
static size_t glibc_footprint(size_t request_bytes)
{
    void *block = malloc(request_bytes);
    assert_non_null(block);
    size_t bytes = malloc_usable_size(block) + HEADER_BYTES;
    free(block);
    malloc_trim(0);
    return bytes;
}

static void a_request_up_to_1_kib_costs_no_more_than_in_glibc(void **state)
{
    (void)state;
    if (HP_SANITIZED) {
        skip(); /* malloc is the sanitizer's then */
    }
    for (size_t request = LEAST_BYTES; request <= SMALL_BYTES; request++) {
        size_t here = hepta_footprint(request), there = glibc_footprint(request);
        if (here > there) {
            fail_msg("%zu bytes cost %zu, and %zu in glibc", request, here, there);
        }
    }
}

static void a_larger_request_costs_at_most_an_eighth_more_than_its_size(void **state)
{
    (void)state;
    for (size_t request = SMALL_BYTES + 1; request <= MOST_BYTES; request++) {
        size_t here = hepta_footprint(request);
        if (here * 8 > request * 9) {
            fail_msg("%zu bytes cost %zu", request, here);
        }
    }
}

static void a_block_has_room_for_its_request(void **state)
{
    (void)state;
    for (size_t request = LEAST_BYTES; request <= MOST_BYTES; request++) {
        assert_true(hepta_footprint(request) >= request);
    }
}

static void the_examples_of_the_design_hold(void **state)
{
    (void)state;
    static const size_t examples[][2] = {{16, 16},   {17, 32},   {65, 80},
                                         {129, 144}, {513, 528}, {8277, 9216}};
    for (size_t index = 0; index < sizeof examples / sizeof *examples; index++) {
        assert_true(hepta_footprint(examples[index][0]) <= examples[index][1]);
    }
}

/* One line for each slot size: the requests that get it, and the least and the most they cost in glibc. */
static void print_table(void)
{
    puts("request_from,request_to,hepta_bytes,most_waste_percent,glibc_from,glibc_to");
    for (size_t from = LEAST_BYTES; from <= MOST_BYTES;) {
        size_t slot_bytes = hepta_footprint(from);
        size_t to = from;
        while (to < MOST_BYTES && hepta_footprint(to + 1) == slot_bytes) {
            to++;
        }
        printf("%zu,%zu,%zu,%.1f,%zu,%zu\n", from, to, slot_bytes,
               100.0 * (double)(slot_bytes - from) / (double)from, glibc_footprint(from),
               glibc_footprint(to));
        from = to + 1;
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "table") == 0) {
        print_table();
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_up_to_1_kib_costs_no_more_than_in_glibc),
        cmocka_unit_test(a_larger_request_costs_at_most_an_eighth_more_than_its_size),
        cmocka_unit_test(a_block_has_room_for_its_request),
        cmocka_unit_test(the_examples_of_the_design_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
