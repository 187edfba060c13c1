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

static void malloc_takes_as_many_slots_as_leave_the_line_half_full(void **state)
{
    (void)state;
    static const struct {
        size_t bytes;
        unsigned taken;
    } rows[] = {{2048, 4}, {4096, 3}, {8192, 2}};

    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        self->refill_chunks[hp_class_of(rows[row].bytes)] = HP_LINE_CHUNKS;
        char *chunk = take(rows[row].bytes);
        hp_slab *slab = slab_of(chunk);

        assert_int_equal(slab->free->free_count, slab->slot_count - rows[row].taken);
        assert_int_equal(filled(rows[row].bytes), rows[row].taken - 1);
        assert_ptr_equal(take(rows[row].bytes), chunk + rows[row].bytes);
        hepta_free(chunk + rows[row].bytes);
        hepta_free(chunk);
    }
}

static void the_refills_of_a_class_grow_from_one_chunk(void **state)
{
    (void)state;
    char *first = take(2000);
    assert_int_equal(filled(2000), 0);

    char *second = take(2000);

    assert_ptr_equal(second, first + 2048);
    assert_int_equal(filled(2000), 1);
    hepta_free(first);
    hepta_free(second);
}

static void a_freed_chunk_is_the_next_one_that_malloc_returns(void **state)
{
    (void)state;
    take_many(2000, 2);
    hepta_free(chunks[0]);
    hepta_free(chunks[1]);

    assert_ptr_equal(take(2000), chunks[1]);
    assert_ptr_equal(take(2000), chunks[0]);
    free_many(2);
}

static void a_line_holds_seven_chunks_to_2_kib_four_to_4_kib_two_to_8_kib(void **state)
{
    (void)state;
    static const struct {
        size_t bytes;
        unsigned chunks;
    } rows[] = {{1025, 7}, {2048, 7}, {2049, 4}, {4096, 4}, {4097, 2}, {8192, 2}};

    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        hp_thread_flush(self);
        take_many(rows[row].bytes, SLOTS_8K);
        line_of(rows[row].bytes)->filled = hp_line_empty(hp_class_of(rows[row].bytes));
        free_many(rows[row].chunks);
        assert_int_equal(line_of(rows[row].bytes)->filled, HP_LINE_FULL);
        assert_int_equal(filled(rows[row].bytes), rows[row].chunks);
    }
}

/* A full line of 4 KiB chunks, the oldest of which is chunks[0], and one more chunk that is out. */
static void given_a_full_line(void)
{
    take_many(4096, 5);
    line_of(4096)->filled =
        hp_line_empty(hp_class_of(4096)); /* the test lets go of what is in it */
    free_many(4);
}

/* free into the full line while neither depot nor hand has room. */
static void free_past_the_depot(void *chunk)
{
    uint32_t room = self->hand.room_bytes;
    self->hand.room_bytes = 0;
    mine->depot_bytes += 1 << 30;
    hepta_free(chunk);
    mine->depot_bytes -= 1 << 30;
    self->hand.room_bytes = room;
}

static void a_full_line_gives_the_chunks_that_lay_there_for_longest_to_the_depot(void **state)
{
    (void)state;
    given_a_full_line();
    assert_true(hp_claim_try(&mine->claim));

    hepta_free(chunks[4]);

    hp_claim_release(&mine->claim);
    assert_int_equal(hp_depot_count(mine, hp_class_of(4096)), 1);
    assert_int_equal(filled(4096), 2);
    for (unsigned index = 5; index-- > 0;) {
        assert_ptr_equal(take(4096), chunks[index]);
    }
    assert_int_equal(hp_depot_count(mine, hp_class_of(4096)), 0);
    free_many(5);
}

static void without_room_in_the_depot_they_go_to_their_slab(void **state)
{
    (void)state;
    given_a_full_line();
    uint32_t free_before = slab_of(chunks[0])->free->free_count;

    free_past_the_depot(chunks[4]);

    assert_int_equal(slab_of(chunks[0])->free->free_count, free_before + 3);
    assert_int_equal(filled(4096), 2);
    assert_ptr_equal(take(4096), chunks[4]);
    assert_ptr_equal(take(4096), chunks[3]);
    hepta_free(chunks[3]);
    hepta_free(chunks[4]);
}

static void and_as_notes_while_the_owner_is_claimed(void **state)
{
    (void)state;
    given_a_full_line();
    uint64_t wanted = 0;
    for (unsigned index = 0; index < 3; index++) {
        wanted |= (uint64_t)1 << index_of(chunks[index]);
    }
    assert_true(hp_claim_try(&mine->claim));

    free_past_the_depot(chunks[4]);

    hp_outbox_flush(self);
    hp_claim_release(&mine->claim);
    assert_int_equal(atomic_load(&slab_of(chunks[0])->remote[0]), wanted);
    assert_true(hp_inbox_has_news(mine));
}

static void a_chunk_of_another_owner_goes_into_the_line_too(void **state)
{
    (void)state;
    void *others = given_a_chunk_of_another_owner(3000);

    hepta_free(others);

    assert_int_equal(filled(3000), 1);
    assert_int_equal(self->outbox_room, HP_OUTBOX_BYTES);
    assert_ptr_equal(take(3000), others);
    hepta_free(others);
}

static void a_flush_returns_the_lines_to_their_slabs(void **state)
{
    (void)state;
    take_many(2000, 4);
    hp_slab *slab = slab_of(chunks[0]);
    uint32_t free_before = slab->free->free_count;
    free_many(4);
    unsigned cached = filled(2000);
    assert_int_not_equal(cached, 0);

    hp_thread_flush(self);

    assert_int_equal(filled(2000), 0);
    assert_int_equal(slab->free->free_count, free_before + cached);
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
        SPEC(malloc_takes_as_many_slots_as_leave_the_line_half_full),
        SPEC(the_refills_of_a_class_grow_from_one_chunk),
        SPEC(a_freed_chunk_is_the_next_one_that_malloc_returns),
        SPEC(a_line_holds_seven_chunks_to_2_kib_four_to_4_kib_two_to_8_kib),
        SPEC(a_full_line_gives_the_chunks_that_lay_there_for_longest_to_the_depot),
        SPEC(without_room_in_the_depot_they_go_to_their_slab),
        SPEC(and_as_notes_while_the_owner_is_claimed),
        SPEC(a_chunk_of_another_owner_goes_into_the_line_too),
        SPEC(a_flush_returns_the_lines_to_their_slabs),
        SPEC(calloc_clears_a_chunk_from_a_line),
        SPEC(a_chunk_that_is_freed_twice_is_found_when_it_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
