/*
 * What programs ask an allocator about itself. That malloc_info writes XML is in run_options.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hepta/hepta.h"
#include "support/stderr_text.h"

/* ---- mallinfo ---- */

static void used_and_free_bytes_make_the_arena(void **state)
{
    (void)state;
    void *block = hepta_malloc(5000);
    struct mallinfo2 info = hepta_mallinfo2();

    assert_true(info.arena >= (size_t)4 << 20);
    assert_int_equal(info.arena, info.uordblks + info.fordblks);
    assert_true(info.uordblks >= 5000);
    assert_true(info.ordblks > 0);
    assert_true(info.keepcost > 0 && info.keepcost <= info.fordblks);
    hepta_free(block);
}

static void what_the_program_takes_is_used_and_what_it_frees_is_not(void **state)
{
    (void)state;
    struct mallinfo2 before = hepta_mallinfo2();
    void *block = hepta_malloc(300000);
    struct mallinfo2 during = hepta_mallinfo2();
    hepta_free(block);
    struct mallinfo2 after = hepta_mallinfo2();

    assert_true(during.uordblks >= before.uordblks + 300000);
    assert_true(after.uordblks <= during.uordblks - 300000);
}

static void a_huge_block_counts_as_a_mapping_and_not_as_arena(void **state)
{
    (void)state;
    struct mallinfo2 before = hepta_mallinfo2();
    void *block = hepta_malloc(10000000);
    struct mallinfo2 during = hepta_mallinfo2();

    assert_int_equal(during.hblks, before.hblks + 1);
    assert_true(during.hblkhd >= before.hblkhd + 10000000);
    assert_int_equal(during.uordblks, before.uordblks);
    hepta_free(block);
}

static void the_old_interface_shows_the_same_figures(void **state)
{
    (void)state;
    struct mallinfo2 wide = hepta_mallinfo2();
    struct mallinfo narrow = hepta_mallinfo();

    assert_int_equal(narrow.arena, wide.arena);
    assert_int_equal(narrow.uordblks, wide.uordblks);
    assert_int_equal(narrow.fordblks, wide.fordblks);
    assert_int_equal(narrow.hblkhd, wide.hblkhd);
}

static void the_old_interface_stops_at_its_largest_number(void **state)
{
    (void)state;
    void *block = hepta_malloc((size_t)5 << 30); /* never touched: address space only */
    if (block == NULL) {
        skip();
    }
    assert_int_equal(hepta_mallinfo().hblkhd, INT_MAX);
    hepta_free(block);
}

/* ---- malloc_stats, malloc_info ---- */

static void malloc_stats_writes_to_stderr(void **state)
{
    (void)state;
    void *block = hepta_malloc(40);
    stderr_capture();
    hepta_malloc_stats();
    const char *said = stderr_captured();

    assert_non_null(strstr(said, "hepta: mapped bytes     =   "));
    assert_non_null(strstr(said, "hepta:             48             1          1365"));
    hepta_free(block);
}

static void malloc_info_takes_no_options(void **state)
{
    (void)state;
    assert_int_equal(hepta_malloc_info(1, stdout), EINVAL);
}

static void malloc_info_has_the_elements_of_glibc(void **state)
{
    (void)state;
    static const char *const elements[] = {"<malloc version=\"1\">\n",
                                           "<heap nr=\"0\">\n",
                                           "<sizes>\n",
                                           "  <size from=\"",
                                           "</sizes>\n",
                                           "<total type=\"fast\" count=\"",
                                           "<total type=\"rest\" ",
                                           "<system type=\"current\"",
                                           "<system type=\"max\"",
                                           "<aspace type=\"total\"",
                                           "<aspace type=\"mprotect\"",
                                           "</heap>\n",
                                           "<total type=\"mmap\" ",
                                           "</malloc>\n"};
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    assert_int_equal(hepta_malloc_info(0, stream), 0);
    fclose(stream);

    const char *place = text;
    for (size_t index = 0; index < sizeof elements / sizeof *elements; index++) {
        place = strstr(place, elements[index]);
        assert_non_null(place);
    }
    free(text);
}

/* ---- mallopt, malloc_trim ---- */

static void mallopt_accepts_what_glibc_does(void **state)
{
    (void)state;
    static const int parameters[] = {M_TRIM_THRESHOLD, M_TOP_PAD,    M_MMAP_MAX,  M_CHECK_ACTION,
                                     M_PERTURB,        M_ARENA_TEST, M_ARENA_MAX, M_GRAIN};
    for (size_t index = 0; index < sizeof parameters / sizeof *parameters; index++) {
        assert_int_equal(hepta_mallopt(parameters[index], 1), 1);
        assert_int_equal(hepta_mallopt(parameters[index], -1), 1);
    }
    assert_int_equal(hepta_mallopt(12345, 1), 1);
}

static void mallopt_keeps_the_bound_of_glibc(void **state)
{
    (void)state;
    assert_int_equal(hepta_mallopt(M_MXFAST, 160), 1);
    assert_int_equal(hepta_mallopt(M_MXFAST, 161), 0);
    assert_int_equal(hepta_mallopt(M_MXFAST, -1), 0);
    assert_int_equal(hepta_mallopt(M_MMAP_THRESHOLD, 32 << 20), 1);
    assert_int_equal(hepta_mallopt(M_MMAP_THRESHOLD, INT_MAX), 1);
}

static void malloc_trim_says_whether_it_gave_memory_back(void **state)
{
    (void)state;
    void *block = hepta_malloc(1000000);
    memset(block, 1, 1000000);
    hepta_free(block);

    assert_int_equal(hepta_malloc_trim(0), 1);
    assert_int_equal(hepta_malloc_trim(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(used_and_free_bytes_make_the_arena),
        cmocka_unit_test(what_the_program_takes_is_used_and_what_it_frees_is_not),
        cmocka_unit_test(a_huge_block_counts_as_a_mapping_and_not_as_arena),
        cmocka_unit_test(the_old_interface_shows_the_same_figures),
        cmocka_unit_test(the_old_interface_stops_at_its_largest_number),
        cmocka_unit_test(malloc_stats_writes_to_stderr),
        cmocka_unit_test(malloc_info_takes_no_options),
        cmocka_unit_test(malloc_info_has_the_elements_of_glibc),
        cmocka_unit_test(mallopt_accepts_what_glibc_does),
        cmocka_unit_test(mallopt_keeps_the_bound_of_glibc),
        cmocka_unit_test(malloc_trim_says_whether_it_gave_memory_back),
    };
    return cmocka_run_group_tests_name("introspect", tests, NULL, NULL);
}
