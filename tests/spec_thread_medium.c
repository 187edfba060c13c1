/*
 * Lines of medium classes, 1,025 to 8,192 bytes: they are filled by frees alone, and hold few chunks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/capture.h"
#include "thread_lines.h"

#define SLOTS_8K 8u

static void *chunks[2 * SLOTS_8K];

static void take_many(size_t bytes, unsigned count)
{
    for (unsigned index = 0; index < count; index++) {
        chunks[index] = take(bytes);
    }
}

static void free_many(unsigned count)
{
    for (unsigned index = 0; index < count; index++) {
        hepta_free(chunks[index]);
    }
}

static void malloc_takes_one_slot_and_leaves_the_line_empty(void **state)
{
    (void)state;
    void *chunk = take(2000);

    assert_int_equal(filled(2000), 0);
    assert_int_equal(slab_of(chunk)->free->free_count, slab_of(chunk)->slot_count - 1);
    hepta_free(chunk);
}

static void a_freed_chunk_is_the_next_one_that_malloc_returns(void **state)
{
    (void)state;
    take_many(2000, 2);
    hepta_free(chunks[0]);
    hepta_free(chunks[1]);

    assert_int_equal(filled(2000), 2);
    assert_ptr_equal(take(2000), chunks[1]);
    assert_ptr_equal(take(2000), chunks[0]);
    assert_int_equal(filled(2000), 0);
    free_many(2);
}

static void a_line_holds_four_chunks_to_2_kib_two_to_4_kib_one_to_8_kib(void **state)
{
    (void)state;
    static const struct {
        size_t bytes;
        unsigned chunks;
    } rows[] = {{1025, 4}, {2048, 4}, {2049, 2}, {4096, 2}, {4097, 1}, {8192, 1}};

    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        take_many(rows[row].bytes, SLOTS_8K);
        free_many(SLOTS_8K);
        assert_int_equal(filled(rows[row].bytes), rows[row].chunks);
    }
}

static void what_a_full_line_has_no_room_for_goes_back_to_its_slab(void **state)
{
    (void)state;
    take_many(8192, 3);
    hp_slab *slab = slab_of(chunks[0]);
    uint32_t free_before = slab->free->free_count;

    free_many(3);

    assert_int_equal(slab->free->free_count, free_before + 2);
    assert_ptr_equal(take(8192), chunks[2]);
    hepta_free(chunks[2]);
}

static void while_the_owner_is_claimed_a_full_line_leaves_a_note(void **state)
{
    (void)state;
    take_many(8192, 2);
    uint32_t index = index_of(chunks[0]);
    hp_slab *slab = slab_of(chunks[0]);
    assert_true(hp_claim_try(&mine->claim));

    free_many(2);

    hp_claim_release(&mine->claim);
    assert_int_equal(atomic_load(&slab->remote[0]), (uint64_t)1 << index);
    assert_true(hp_inbox_has_news(mine));
}

static void a_chunk_of_another_owner_goes_into_the_outbox(void **state)
{
    (void)state;
    void *others = given_a_chunk_of_another_owner(3000);

    hepta_free(others);

    assert_int_equal(filled(3000), 0);
    assert_int_equal(self->outbox_room,
                     HP_OUTBOX_BYTES - (int64_t)hp_class_bytes(hp_class_of(3000)));
}

static void a_flush_returns_the_lines_to_their_slabs(void **state)
{
    (void)state;
    take_many(2000, 4);
    hp_slab *slab = slab_of(chunks[0]);
    free_many(4);

    hp_thread_flush(self);

    assert_int_equal(filled(2000), 0);
    assert_int_equal(slab->free->free_count, slab->slot_count);
}

static void calloc_clears_a_chunk_from_a_line(void **state)
{
    (void)state;
    void *chunk = take(5000);
    memset(chunk, 0xa5, 5000);
    hepta_free(chunk);

    unsigned char *cleared = hepta_calloc(5, 1000);

    assert_ptr_equal(cleared, chunk);
    for (unsigned index = 0; index < 5000; index++) {
        assert_int_equal(cleared[index], 0);
    }
    hepta_free(cleared);
}

static void a_chunk_that_is_freed_twice_is_found_when_it_goes_back(void **state)
{
    (void)state;
    void *chunk = take(2000);
    hepta_free(chunk);
    hepta_free(chunk);

    capture_begin();
    hp_thread_flush(self);

    assert_non_null(strstr(capture_end(), "double free of"));
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, thread_setup, thread_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(malloc_takes_one_slot_and_leaves_the_line_empty),
        SPEC(a_freed_chunk_is_the_next_one_that_malloc_returns),
        SPEC(a_line_holds_four_chunks_to_2_kib_two_to_4_kib_one_to_8_kib),
        SPEC(what_a_full_line_has_no_room_for_goes_back_to_its_slab),
        SPEC(while_the_owner_is_claimed_a_full_line_leaves_a_note),
        SPEC(a_chunk_of_another_owner_goes_into_the_outbox),
        SPEC(a_flush_returns_the_lines_to_their_slabs),
        SPEC(calloc_clears_a_chunk_from_a_line),
        SPEC(a_chunk_that_is_freed_twice_is_found_when_it_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
