/*
 * Pages of a slab that no slot in use reaches into lose their memory while the slab lives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "owner/slab_pages.h"
#include "slab_slots.h"

static unsigned calls;

static bool look(void)
{
    return hp_slab_pages_look(slab, &calls);
}

/* Every slot is out and written to. */
static void given_a_full_slab_of(size_t slot_bytes)
{
    given_a_slab_of(slot_bytes);
    assert_int_equal(hp_slab_take(slab, slab->slot_count, chunks), slab->slot_count);
    memset(slab->base, 1, (size_t)slab->slot_count * slot_bytes);
    calls = 0;
    fake_system_forget();
}

static void put(unsigned first, unsigned count)
{
    for (unsigned index = first; index < first + count; index++) {
        assert_true(put_slot(index));
    }
}

static unsigned page_of(unsigned index)
{
    return (unsigned)((size_t)index * slab->slot_bytes / hp_page_bytes());
}

static unsigned slots_per_page(void)
{
    return (unsigned)(hp_page_bytes() / slab->slot_bytes);
}

static void a_page_is_free_when_no_slot_in_use_reaches_into_it(void **state)
{
    (void)state;
    /* For each size: a slot is put back, and the naive answer for every page is compared. */
    for (size_t bytes = 16; bytes <= HP_SLAB_MAX_SLOT_BYTES; bytes += bytes < 1024 ? 16 : 1000) {
        unsigned size_class = hp_class_of(bytes);
        given_a_full_slab_of(hp_class_bytes(size_class));
        for (unsigned index = 0; index < slab->slot_count; index += 1 + index % 7) {
            put(index, 1);
        }
        uint64_t naive = ~(uint64_t)0;
        for (unsigned index = 0; index < slab->slot_count; index++) {
            bool in_use = (slab->free->words[index / 64] >> (index & 63) & 1) == 0;
            size_t end = ((size_t)index + 1) * slab->slot_bytes - 1;
            for (unsigned page = page_of(index); in_use && page <= end / hp_page_bytes(); page++) {
                naive &= ~((uint64_t)1 << page);
            }
        }
        size_t used_bytes = (size_t)slab->slot_count * slab->slot_bytes;
        unsigned pages = (unsigned)((used_bytes - 1) / hp_page_bytes()) + 1;
        naive &= pages == 64 ? ~(uint64_t)0 : ((uint64_t)1 << pages) - 1;

        assert_int_equal(hp_slab_free_pages(slab), naive);
        for (unsigned index = 0; index < slab->slot_count; index++) {
            put_slot(index);
        }
        hp_slab_close(slab);
    }
    slab = NULL;
}

static void a_page_goes_back_at_the_second_look_that_finds_it_free(void **state)
{
    (void)state;
    given_a_full_slab_of(64);
    put(slots_per_page(), slots_per_page());

    assert_true(look());
    assert_int_equal(calls, 0);
    assert_false(look());

    assert_int_equal(calls, 1);
    assert_int_equal(fake.discarded_bytes, hp_page_bytes());
    assert_int_equal(slab->base[hp_page_bytes()], 0);
    assert_int_equal(slab->base[hp_page_bytes() - 1], 1);
    assert_int_equal(slab->base[2 * hp_page_bytes()], 1);
    then_the_slab_is_sound();
}

static void a_page_that_was_used_between_two_looks_stays(void **state)
{
    (void)state;
    given_a_full_slab_of(64);
    put(0, slots_per_page());
    look();
    hp_slab_take(slab, 1, chunks);

    assert_false(look());

    assert_int_equal(calls, 0);
}

static void neighbouring_pages_go_back_in_one_call(void **state)
{
    (void)state;
    given_a_full_slab_of(64);
    put(slots_per_page(), 3 * slots_per_page());
    put(6 * slots_per_page(), slots_per_page());

    look();
    look();

    assert_int_equal(calls, 2);
    assert_int_equal(fake.discarded_bytes, 4 * hp_page_bytes());
}

static void nothing_goes_back_twice(void **state)
{
    (void)state;
    given_a_full_slab_of(64);
    put(slots_per_page(), slots_per_page());
    look();
    look();

    assert_false(look());
    assert_false(look());

    assert_int_equal(calls, 1);
}

static void a_page_whose_slots_were_handed_out_again_goes_back_again(void **state)
{
    (void)state;
    given_a_full_slab_of(64);
    unsigned per_page = slots_per_page();
    put(0, 2 * per_page);
    look();
    look();
    assert_int_equal(hp_slab_take_one(slab), 0);
    then_the_slab_is_sound();
    put(0, 1);

    look();
    look();

    assert_int_equal(calls, 2);
    assert_int_equal(fake.discarded_bytes, 3 * hp_page_bytes());
}

static void groups_and_scattered_slots_that_are_handed_out_are_noticed(void **state)
{
    (void)state;
    given_a_full_slab_of(48);
    for (unsigned index = 0; index < slab->slot_count; index++) {
        put(index, 1);
    }
    look();
    look();
    unsigned groups = 8;
    assert_ptr_equal(hp_slab_take_groups(slab, &groups), slab->base);
    then_the_slab_is_sound();

    hp_slab_take(slab, 300, chunks);

    then_the_slab_is_sound();
    for (unsigned index = 0; index < 364; index++) {
        put_slot(index);
    }
}

static void a_trim_gives_all_free_pages_back_at_once_and_only_once(void **state)
{
    (void)state;
    given_a_full_slab_of(64);
    put(slots_per_page(), 3 * slots_per_page());

    assert_int_equal(hp_slab_pages_trim(slab), 3 * hp_page_bytes());
    assert_int_equal(hp_slab_pages_trim(slab), 0);

    assert_int_equal(fake.discarded_bytes, 3 * hp_page_bytes());
    then_the_slab_is_sound();
}

static void what_the_kernel_keeps_is_not_asked_for_again(void **state)
{
    (void)state;
    given_a_full_slab_of(64);
    put(slots_per_page(), slots_per_page());
    fake.refuse_discard = true;
    look();
    look();

    assert_false(look());

    assert_int_equal(fake.discards_asked, 1);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, fake_system_setup, slab_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_page_is_free_when_no_slot_in_use_reaches_into_it),
        SPEC(a_page_goes_back_at_the_second_look_that_finds_it_free),
        SPEC(a_page_that_was_used_between_two_looks_stays),
        SPEC(neighbouring_pages_go_back_in_one_call),
        SPEC(nothing_goes_back_twice),
        SPEC(a_page_whose_slots_were_handed_out_again_goes_back_again),
        SPEC(groups_and_scattered_slots_that_are_handed_out_are_noticed),
        SPEC(a_trim_gives_all_free_pages_back_at_once_and_only_once),
        SPEC(what_the_kernel_keeps_is_not_asked_for_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
