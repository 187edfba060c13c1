/*
 * Size classes: what a request costs, what alignment it gets, and the division that finds a slot.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metadata/size_class.h"

static size_t cost_bytes(size_t bytes)
{
    return hp_class_bytes(hp_class_of(bytes));
}

/* malloc of glibc 2.36 on 64 bits: 8 bytes of header, a grid of 16 bytes, at least 32 bytes. */
static size_t glibc_cost_bytes(size_t bytes)
{
    size_t chunk_bytes = (bytes + 8 + 15) / 16 * 16;
    return chunk_bytes < 32 ? 32 : chunk_bytes;
}

static void every_request_gets_the_smallest_class_that_holds_it(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes <= HP_RUN_CLASS_MAX_BYTES; bytes++) {
        unsigned size_class = hp_class_of(bytes);

        assert_in_range(size_class, 0, HP_DEPOT_CLASSES - 1);
        assert_true(hp_class_bytes(size_class) >= bytes);
        assert_true(size_class == 0 || hp_class_bytes(size_class - 1) < bytes);
    }
}

static void every_class_serves_its_own_size(void **state)
{
    (void)state;
    for (unsigned size_class = 0; size_class < HP_DEPOT_CLASSES; size_class++) {
        assert_int_equal(hp_class_of(hp_class_bytes(size_class)), size_class);
    }
    assert_int_equal(hp_class_bytes(HP_DEPOT_CLASSES - 1), HP_RUN_CLASS_MAX_BYTES);
    assert_int_equal(hp_class_bytes(HP_CLASSES - 1), HP_SLAB_MAX_SLOT_BYTES);
    assert_int_equal(hp_class_bytes(HP_SMALL_CLASSES - 1), HP_SMALL_MAX_BYTES);
}

static void up_to_1024_bytes_at_most_15_are_wasted(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes <= HP_SMALL_MAX_BYTES; bytes++) {
        assert_in_range(cost_bytes(bytes), bytes, bytes + 15);
    }
}

static void beyond_1024_bytes_at_most_an_eighth_is_wasted(void **state)
{
    (void)state;
    for (size_t bytes = HP_SMALL_MAX_BYTES + 1; bytes <= HP_RUN_CLASS_MAX_BYTES; bytes++) {
        assert_true(8 * cost_bytes(bytes) <= 9 * bytes);
    }
}

static void no_request_up_to_1024_bytes_costs_more_than_in_glibc(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes <= HP_SMALL_MAX_BYTES; bytes++) {
        assert_true(cost_bytes(bytes) <= glibc_cost_bytes(bytes));
    }
}

static void the_costs_that_the_documentation_names_are_right(void **state)
{
    (void)state;
    assert_int_equal(cost_bytes(16), 16);
    assert_int_equal(cost_bytes(17), 32);
    assert_int_equal(cost_bytes(65), 80);
    assert_int_equal(cost_bytes(129), 144);
    assert_int_equal(cost_bytes(513), 528);
    assert_true(cost_bytes(8277) <= 9216);
}

static void every_slot_size_is_a_multiple_of_16_bytes(void **state)
{
    (void)state;
    for (unsigned size_class = 0; size_class < HP_CLASSES; size_class++) {
        assert_int_equal(hp_class_bytes(size_class) % 16, 0);
    }
}

static void every_run_has_whole_pages(void **state)
{
    (void)state;
    for (unsigned size_class = HP_CLASSES; size_class < HP_DEPOT_CLASSES; size_class++) {
        assert_int_equal(hp_class_bytes(size_class) % 4096, 0);
    }
}

static void a_size_rounded_up_to_an_alignment_gets_slots_that_are_aligned_so(void **state)
{
    (void)state;
    for (size_t align = 16; align <= HP_SLAB_MAX_SLOT_BYTES; align *= 2) {
        for (size_t bytes = align; bytes <= HP_SLAB_MAX_SLOT_BYTES; bytes += align) {
            assert_int_equal(cost_bytes(bytes) % align, 0);
        }
    }
}

static void every_slab_has_at_least_8_slots_and_at_most_one_per_bit(void **state)
{
    (void)state;
    for (unsigned size_class = 0; size_class < HP_CLASSES; size_class++) {
        size_t slab_bytes = hp_class_slab_bytes(size_class);

        assert_int_equal(slab_bytes % HP_GRAIN_BYTES, 0);
        assert_in_range(slab_bytes / hp_class_bytes(size_class), 8, HP_SLAB_MAX_SLOTS);
    }
}

static void the_cached_classes_lie_in_slabs_of_one_grain(void **state)
{
    (void)state;
    for (unsigned size_class = 0; size_class < HP_SMALL_CLASSES; size_class++) {
        assert_int_equal(hp_class_slab_bytes(size_class), HP_GRAIN_BYTES);
    }
}

static void the_division_is_exact_at_every_offset_of_every_slab(void **state)
{
    (void)state;
    for (unsigned size_class = 0; size_class < HP_CLASSES; size_class++) {
        size_t slot_bytes = hp_class_bytes(size_class);
        uint64_t reciprocal = hp_reciprocal(slot_bytes);
        for (size_t offset = 0; offset < hp_class_slab_bytes(size_class); offset++) {
            if (hp_divide(offset, reciprocal) != offset / slot_bytes) {
                fail_msg("offset %zu in slots of %zu bytes", offset, slot_bytes);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_gets_the_smallest_class_that_holds_it),
        cmocka_unit_test(every_class_serves_its_own_size),
        cmocka_unit_test(up_to_1024_bytes_at_most_15_are_wasted),
        cmocka_unit_test(beyond_1024_bytes_at_most_an_eighth_is_wasted),
        cmocka_unit_test(no_request_up_to_1024_bytes_costs_more_than_in_glibc),
        cmocka_unit_test(the_costs_that_the_documentation_names_are_right),
        cmocka_unit_test(every_slot_size_is_a_multiple_of_16_bytes),
        cmocka_unit_test(every_run_has_whole_pages),
        cmocka_unit_test(a_size_rounded_up_to_an_alignment_gets_slots_that_are_aligned_so),
        cmocka_unit_test(every_slab_has_at_least_8_slots_and_at_most_one_per_bit),
        cmocka_unit_test(the_cached_classes_lie_in_slabs_of_one_grain),
        cmocka_unit_test(the_division_is_exact_at_every_offset_of_every_slab),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
