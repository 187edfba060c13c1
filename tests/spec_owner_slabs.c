/*
 * The slabs of an owner: which one serves, which are listed, when one goes back to the arena.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena/arena.h"
#include "metadata/storage.h"
#include "owner_slots.h"

enum { SLOTS_8K = 8, LIVE_MOST = 3000, TRACE_STEPS = 60000 };

/* ---- take ---- */

static void the_first_take_of_a_class_opens_a_slab(void **state)
{
    (void)state;
    given_chunks(8192, 0, 1);

    hp_slab *slab = slab_of(chunks[0]);
    assert_ptr_equal(slab->owner, owner);
    assert_ptr_equal(slabs_of(8192)->first, slab);
    assert_int_equal(slabs_of(8192)->slab_count, 1);
    assert_null(slabs_of(8192)->empty);
}

static void a_take_never_crosses_from_one_slab_into_the_next(void **state)
{
    (void)state;
    unsigned size_class = hp_class_of(8192);

    assert_int_equal(hp_owner_take(owner, size_class, SLOTS_8K + 1, chunks), SLOTS_8K);
    assert_int_equal(hp_owner_take(owner, size_class, 1, chunks + SLOTS_8K), 1);

    assert_ptr_not_equal(slab_of(chunks[0]), slab_of(chunks[SLOTS_8K]));
}

static void a_full_slab_leaves_the_list_and_its_first_free_slot_brings_it_back(void **state)
{
    (void)state;
    given_chunks(8192, 0, SLOTS_8K);
    assert_null(slabs_of(8192)->first);
    assert_int_equal(slabs_of(8192)->slab_count, 1);

    assert_true(put(chunks[3]));

    assert_ptr_equal(slabs_of(8192)->first, slab_of(chunks[3]));
}

static void the_slab_that_serves_goes_on_serving_when_a_full_one_gets_a_free_slot(void **state)
{
    (void)state;
    given_chunks(8192, 0, SLOTS_8K + 1);
    hp_slab *serving = slab_of(chunks[SLOTS_8K]);

    assert_true(put(chunks[0]));

    assert_ptr_equal(slabs_of(8192)->first, serving);
    given_chunks(8192, SLOTS_8K + 1, SLOTS_8K - 1);
    given_chunks(8192, 2 * SLOTS_8K, 1);
    assert_ptr_equal(chunks[2 * SLOTS_8K], chunks[0]);
}

static void eight_neighbours_are_taken_from_the_serving_slab(void **state)
{
    (void)state;
    unsigned groups = 2;

    char *first = hp_owner_take_groups(owner, hp_class_of(64), &groups);

    assert_int_equal(groups, 2);
    assert_int_equal(index_of(first), 0);
    assert_null(slabs_of(64)->empty);
    given_chunks(64, 0, 1);
    assert_ptr_equal(chunks[0], first + 16 * 64);
}

static void a_refused_slab_gives_no_chunk_and_leaves_the_owner_sound(void **state)
{
    (void)state;
    unsigned size_class = hp_class_of(32768);
    unsigned groups = 1;
    bool zeroed;
    fake.maps_left = 0;
    while (hp_owner_take(owner, size_class, SLOTS_8K, chunks) != 0) { /* what the arena has left */
    }

    assert_null(hp_owner_take_one(owner, size_class, &zeroed));
    assert_null(hp_owner_take_groups(owner, size_class, &groups));

    assert_null(hp_owner_check(owner));
}

/* ---- put ---- */

static void a_slot_that_is_put_twice_is_found_out(void **state)
{
    (void)state;
    given_chunks(8192, 0, 2);
    assert_true(put(chunks[0]));

    assert_false(put(chunks[0]));
    assert_int_equal(hp_owner_put_word(owner, slab_of(chunks[1]), 0, 3), 1);

    assert_int_equal(slab_of(chunks[1])->free->free_count, SLOTS_8K);
}

static void one_wholly_free_slab_of_a_class_is_kept_and_the_next_goes_back(void **state)
{
    (void)state;
    given_chunks(8192, 0, 2 * SLOTS_8K);
    for (unsigned index = 0; index < SLOTS_8K; index++) {
        assert_true(put(chunks[index]));
    }
    assert_non_null(slabs_of(8192)->empty);

    assert_int_equal(hp_owner_put_word(owner, slab_of(chunks[SLOTS_8K]), 0, 0xff), 0);

    assert_int_equal(slabs_of(8192)->slab_count, 1);
    assert_non_null(slabs_of(8192)->empty);
    assert_int_equal(hp_map_get(chunks[SLOTS_8K]), HP_ENTRY_FREED);
    assert_ptr_equal(slabs_of(8192)->first, slab_of(chunks[0]));
}

static void the_record_of_a_slab_that_went_back_serves_the_next_one_of_its_capacity(void **state)
{
    (void)state;
    given_chunks(8192, 0, 2 * SLOTS_8K);
    hp_slab *record = slab_of(chunks[0]);
    hp_owner_put_word(owner, slab_of(chunks[SLOTS_8K]), 0, 0xff);
    hp_owner_put_word(owner, record, 0, 0xff);

    given_chunks(16384, 0, 1);

    assert_ptr_equal(slab_of(chunks[0]), record);
}

static void a_trim_gives_every_wholly_free_slab_back(void **state)
{
    (void)state;
    given_chunks(8192, 0, 1);
    given_chunks(48, 1, 1);
    given_chunks(48, 2, 1);
    assert_true(put(chunks[0]));
    assert_true(put(chunks[1]));

    hp_owner_trim(owner);

    assert_int_equal(slabs_of(8192)->slab_count, 0);
    assert_int_equal(slabs_of(48)->slab_count, 1);
    assert_int_equal(hp_map_get(chunks[0]), HP_ENTRY_FREED);
}

/* ---- zeros ---- */

static void a_chunk_that_was_used_is_not_said_to_be_zeroed(void **state)
{
    (void)state;
    bool zeroed = true;
    for (unsigned round = 0; round < 2; round++) {
        char *chunk = hp_owner_take_one(owner, hp_class_of(8192), &zeroed);
        assert_non_null(chunk);
        memset(chunk, 1, 8192);
        assert_true(put(chunk));
    }

    assert_false(zeroed);
}

static void a_chunk_that_was_used_by_way_of_a_cache_is_not_said_to_be_zeroed(void **state)
{
    (void)state;
    given_chunks(64, 0, 1);
    slab_of(chunks[0])->free->zeroed = true; /* as when its pages are new */
    memset(chunks[0], 1, 64);
    assert_true(put(chunks[0]));
    bool zeroed;

    void *again = hp_owner_take_one(owner, hp_class_of(64), &zeroed);

    assert_ptr_equal(again, chunks[0]);
    assert_false(zeroed);
}

/* ---- a long life ---- */

static uint64_t random_number(void)
{
    static uint64_t number = 88172645463325252u;
    number ^= number << 13;
    number ^= number >> 7;
    number ^= number << 17;
    return number;
}

/* A chunk carries its own address at both ends: two that overlap would not. */
static void *take_marked(size_t bytes)
{
    uintptr_t *chunk;
    assert_int_equal(hp_owner_take(owner, hp_class_of(bytes), 1, (void **)&chunk), 1);
    chunk[0] = (uintptr_t)chunk;
    chunk[bytes / sizeof *chunk - 1] = (uintptr_t)chunk;
    return chunk;
}

static void put_marked(const uintptr_t *chunk)
{
    size_t words = slab_of(chunk)->slot_bytes / sizeof *chunk;
    assert_int_equal(chunk[0], (uintptr_t)chunk);
    assert_int_equal(chunk[words - 1], (uintptr_t)chunk);
    assert_true(put(chunk));
}

static void after_a_random_life_the_owner_is_sound_and_trims_to_nothing(void **state)
{
    (void)state;
    static void *live[LIVE_MOST];
    static const size_t sizes[] = {16, 48, 64, 1008, 1024, 4096, 8192, 12288, 32768};
    unsigned count = 0;
    for (unsigned step = 0; step < TRACE_STEPS; step++) {
        unsigned chosen = (unsigned)(random_number() % LIVE_MOST);
        if (chosen >= (step < TRACE_STEPS / 2 ? count : 2 * count)) {
            live[count++] = take_marked(sizes[random_number() % (sizeof sizes / sizeof sizes[0])]);
        } else {
            chosen %= count;
            put_marked(live[chosen]);
            live[chosen] = live[--count];
        }
    }
    assert_null(hp_owner_check(owner));
    while (count > 0) {
        put_marked(live[--count]);
    }
    hp_owner_trim(owner);
    for (unsigned size_class = 0; size_class < HP_CLASSES; size_class++) {
        assert_int_equal(owner->classes[size_class].slab_count, 0);
    }
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, owner_setup, owner_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(the_first_take_of_a_class_opens_a_slab),
        SPEC(a_take_never_crosses_from_one_slab_into_the_next),
        SPEC(a_full_slab_leaves_the_list_and_its_first_free_slot_brings_it_back),
        SPEC(the_slab_that_serves_goes_on_serving_when_a_full_one_gets_a_free_slot),
        SPEC(eight_neighbours_are_taken_from_the_serving_slab),
        SPEC(a_refused_slab_gives_no_chunk_and_leaves_the_owner_sound),
        SPEC(a_slot_that_is_put_twice_is_found_out),
        SPEC(one_wholly_free_slab_of_a_class_is_kept_and_the_next_goes_back),
        SPEC(the_record_of_a_slab_that_went_back_serves_the_next_one_of_its_capacity),
        SPEC(a_trim_gives_every_wholly_free_slab_back),
        SPEC(a_chunk_that_was_used_is_not_said_to_be_zeroed),
        SPEC(a_chunk_that_was_used_by_way_of_a_cache_is_not_said_to_be_zeroed),
        SPEC(after_a_random_life_the_owner_is_sound_and_trims_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
