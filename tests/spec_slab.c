/*
 * A slab: its record, its slots from the lowest up, what the address map says of it, its end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "metadata/address_map.h"
#include "owner/owner.h"
#include "platform/system.h"
#include "support/fake_system.h"

static hp_owner owner = {.id = 7};
static hp_slab *slab;
static void *chunks[HP_SLAB_MAX_SLOTS];
static bool zeroed;

static void given_a_slab_of(size_t slot_bytes)
{
    unsigned size_class = hp_class_of(slot_bytes);
    slab = hp_slab_new_record(&owner, hp_slab_record_capacity(size_class));
    assert_non_null(slab);
    assert_true(hp_slab_open(slab, size_class));
    assert_int_equal(slab->slot_bytes, slot_bytes);
}

static void *slot(unsigned index)
{
    return slab->base + (size_t)index * slab->slot_bytes;
}

/* Every test opens a slab and leaves it whole, free and checked. */
static int teardown(void **state)
{
    if (slab != NULL && slab->free->free_count == slab->slot_count) {
        hp_slab_close(slab);
    }
    slab = NULL;
    return fake_system_teardown(state);
}

static void then_the_slab_is_sound(void)
{
    assert_null(hp_slab_check(slab));
}

/* ---- records ---- */

static void the_record_of_every_class_has_room_for_its_bitmap_and_not_twice_as_much(void **state)
{
    (void)state;
    for (unsigned size_class = 0; size_class < HP_CLASSES; size_class++) {
        size_t slots = hp_class_slab_bytes(size_class) / hp_class_bytes(size_class);
        unsigned capacity = hp_slab_record_capacity(size_class);

        assert_in_range(capacity, 0, HP_RECORD_CAPACITIES - 1);
        assert_true(slots <= (size_t)64 << capacity);
        assert_true(capacity == 0 || slots > (size_t)32 << capacity);
    }
}

static void the_parts_of_a_record_lie_on_cache_lines_of_their_own(void **state)
{
    (void)state;
    given_a_slab_of(16);

    size_t last_remote = offsetof(hp_slab, remote) + 64 * sizeof(uint64_t);

    assert_int_equal((uintptr_t)slab % 64, 0);
    assert_int_equal(offsetof(hp_slab, pending) % 64, 0);
    assert_int_equal((uintptr_t)slab->free % 64, 0);
    assert_true((uintptr_t)slab->free >= (uintptr_t)slab + last_remote);
}

/* ---- slots ---- */

static void an_open_slab_is_free_to_the_last_slot(void **state)
{
    (void)state;
    given_a_slab_of(48);

    assert_int_equal(slab->slot_count, HP_GRAIN_BYTES / 48);
    assert_int_equal(slab->free->free_count, slab->slot_count);
    assert_int_equal((uintptr_t)slab->base % HP_GRAIN_BYTES, 0);
    then_the_slab_is_sound();
}

static void slots_are_handed_out_from_the_lowest_up(void **state)
{
    (void)state;
    given_a_slab_of(48);

    for (unsigned index = 0; index < slab->slot_count; index++) {
        assert_int_equal(hp_slab_take(slab, 1, chunks, &zeroed), 1);
        assert_ptr_equal(chunks[0], slot(index));
    }
    assert_int_equal(slab->free->nonempty, 0);
    then_the_slab_is_sound();
}

static void several_slots_at_once_come_in_order_across_bitmap_words(void **state)
{
    (void)state;
    given_a_slab_of(48);
    hp_slab_take(slab, 61, chunks, &zeroed);

    assert_int_equal(hp_slab_take(slab, 7, chunks, &zeroed), 7);

    for (unsigned index = 0; index < 7; index++) {
        assert_ptr_equal(chunks[index], slot(61 + index));
    }
    then_the_slab_is_sound();
}

static void a_slab_with_fewer_free_slots_gives_what_it_has(void **state)
{
    (void)state;
    given_a_slab_of(8192);

    assert_int_equal(hp_slab_take(slab, 64, chunks, &zeroed), 8);

    assert_int_equal(slab->free->free_count, 0);
    then_the_slab_is_sound();
}

static void a_freed_slot_is_the_next_to_go_when_it_is_the_lowest(void **state)
{
    (void)state;
    given_a_slab_of(48);
    hp_slab_take(slab, 100, chunks, &zeroed);
    assert_true(hp_slab_put(slab, 90));
    assert_true(hp_slab_put(slab, 3));

    hp_slab_take(slab, 2, chunks, &zeroed);

    assert_ptr_equal(chunks[0], slot(3));
    assert_ptr_equal(chunks[1], slot(90));
    then_the_slab_is_sound();
}

static void a_slot_that_is_freed_twice_is_found_out_and_counted_once(void **state)
{
    (void)state;
    given_a_slab_of(48);
    hp_slab_take(slab, 10, chunks, &zeroed);
    assert_true(hp_slab_put(slab, 5));

    assert_false(hp_slab_put(slab, 5));

    assert_int_equal(slab->free->free_count, slab->slot_count - 9);
    then_the_slab_is_sound();
}

static void of_a_word_of_frees_those_that_were_free_already_come_back(void **state)
{
    (void)state;
    given_a_slab_of(48);
    hp_slab_take(slab, 128, chunks, &zeroed);
    assert_true(hp_slab_put(slab, 64 + 2));

    uint64_t twice = hp_slab_put_word(slab, 1, 0xf);

    assert_int_equal(twice, 0x4);
    assert_int_equal(slab->free->free_count, slab->slot_count - 124);
    then_the_slab_is_sound();
}

/* ---- pointers ---- */

static void every_slot_is_found_by_its_start_and_by_nothing_else(void **state)
{
    (void)state;
    given_a_slab_of(48);
    for (size_t offset = 0; offset < HP_GRAIN_BYTES; offset++) {
        uint32_t index = hp_slab_index(slab, slab->base + offset);
        bool is_start = offset % 48 == 0 && offset / 48 < slab->slot_count;

        assert_int_equal(index, is_start ? offset / 48 : HP_NOT_A_SLOT);
    }
}

static void what_lies_outside_the_slab_is_no_slot(void **state)
{
    (void)state;
    given_a_slab_of(48);
    uintptr_t base = (uintptr_t)slab->base;

    assert_int_equal(hp_slab_index(slab, (void *)(base - 48)), HP_NOT_A_SLOT);
    assert_int_equal(hp_slab_index(slab, (void *)(base + HP_GRAIN_BYTES)), HP_NOT_A_SLOT);
    assert_int_equal(hp_slab_index(slab, (void *)(base + ((uintptr_t)48 << 40))), HP_NOT_A_SLOT);
    assert_int_equal(hp_slab_index(slab, NULL), HP_NOT_A_SLOT);
    assert_int_equal(hp_slab_index(slab, (void *)UINTPTR_MAX), HP_NOT_A_SLOT);
}

static void both_maps_know_a_cached_class_while_its_slab_is_open(void **state)
{
    (void)state;
    given_a_slab_of(48);
    char *last_byte = slab->base + HP_GRAIN_BYTES - 1;
    assert_ptr_equal(hp_entry_record(hp_map_get(slab->base)), slab);
    assert_ptr_equal(hp_entry_record(hp_map_get(last_byte)), slab);
    assert_ptr_equal(hp_hot_slab(hp_grain_of(last_byte)), slab);

    hp_slab_close(slab);

    assert_int_equal(hp_map_get(slab->base), HP_ENTRY_FREED);
    assert_int_equal(hp_map_get(last_byte), HP_ENTRY_FREED);
    assert_null(hp_hot_slab(hp_grain_of(last_byte)));
    slab = NULL;
}

static void a_class_that_is_not_cached_is_in_the_full_map_only(void **state)
{
    (void)state;
    given_a_slab_of(16384);
    char *last_byte = slab->base + HP_LARGE_SLAB_BYTES - 1;

    assert_ptr_equal(hp_entry_record(hp_map_get(last_byte)), slab);
    assert_null(hp_hot_slab(hp_grain_of(last_byte)));
}

/* ---- open and close ---- */

static void a_closed_slab_gives_its_pages_back_and_its_record_serves_another_class(void **state)
{
    (void)state;
    given_a_slab_of(48);
    uint32_t free_pages = atomic_load(&slab->region->free_pages);
    unsigned other_class = hp_class_of(64);
    assert_int_equal(hp_slab_record_capacity(other_class),
                     hp_slab_record_capacity(slab->size_class));

    hp_slab_close(slab);

    assert_int_equal(atomic_load(&slab->region->free_pages),
                     free_pages + HP_GRAIN_BYTES / hp_page_bytes());
    assert_true(hp_slab_open(slab, other_class));
    assert_int_equal(slab->slot_count, HP_GRAIN_BYTES / 64);
    then_the_slab_is_sound();
}

static void a_refused_slab_leaves_its_record_closed(void **state)
{
    (void)state;
    slab = NULL;
    hp_slab *record = hp_slab_new_record(&owner, hp_slab_record_capacity(0));
    fake.maps_left = 0;
    while (hp_slab_open(record, 0)) { /* what the arena has left */
        record = hp_slab_new_record(&owner, hp_slab_record_capacity(0));
        if (record == NULL) {
            return;
        }
    }

    fake.maps_left = 100;

    assert_true(hp_slab_open(record, 0));
}

static void a_slot_that_nobody_had_reads_as_zeros_and_says_so(void **state)
{
    (void)state;
    given_a_slab_of(1024);
    slab->free->zeroed = true; /* as after a run from a clean region */
    hp_slab_take(slab, 2, chunks, &zeroed);
    assert_true(zeroed);
    assert_true(hp_slab_put(slab, 0));

    hp_slab_take(slab, 1, chunks, &zeroed);
    assert_ptr_equal(chunks[0], slot(0));
    assert_false(zeroed);

    hp_slab_take(slab, 1, chunks, &zeroed);
    assert_ptr_equal(chunks[0], slot(2));
    assert_true(zeroed);
}

static void the_check_finds_a_wrong_count_a_wrong_summary_and_a_bit_beyond_the_end(void **state)
{
    (void)state;
    given_a_slab_of(48);
    slab->free->free_count--;
    assert_non_null(hp_slab_check(slab));
    slab->free->free_count++;

    slab->free->nonempty ^= 1;
    assert_non_null(hp_slab_check(slab));
    slab->free->nonempty ^= 1;

    slab->free->words[slab->word_count - 1] |= (uint64_t)1 << 63;
    slab->free->free_count++;
    assert_non_null(hp_slab_check(slab));
    slab = NULL;
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(the_record_of_every_class_has_room_for_its_bitmap_and_not_twice_as_much),
        SPEC(the_parts_of_a_record_lie_on_cache_lines_of_their_own),
        SPEC(an_open_slab_is_free_to_the_last_slot),
        SPEC(slots_are_handed_out_from_the_lowest_up),
        SPEC(several_slots_at_once_come_in_order_across_bitmap_words),
        SPEC(a_slab_with_fewer_free_slots_gives_what_it_has),
        SPEC(a_freed_slot_is_the_next_to_go_when_it_is_the_lowest),
        SPEC(a_slot_that_is_freed_twice_is_found_out_and_counted_once),
        SPEC(of_a_word_of_frees_those_that_were_free_already_come_back),
        SPEC(every_slot_is_found_by_its_start_and_by_nothing_else),
        SPEC(what_lies_outside_the_slab_is_no_slot),
        SPEC(both_maps_know_a_cached_class_while_its_slab_is_open),
        SPEC(a_class_that_is_not_cached_is_in_the_full_map_only),
        SPEC(a_closed_slab_gives_its_pages_back_and_its_record_serves_another_class),
        SPEC(a_refused_slab_leaves_its_record_closed),
        SPEC(a_slot_that_nobody_had_reads_as_zeros_and_says_so),
        SPEC(the_check_finds_a_wrong_count_a_wrong_summary_and_a_bit_beyond_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
