/*
 * The lines of a thread: last in, first out; how they are refilled, spilled and flushed. The outbox is
 * in spec_outbox.c, birth and exit are in spec_thread_exit.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "thread_lines.h"

static void *chunks[256];

/* ---- a line alone ---- */

static void a_line_gives_back_the_last_chunk_first(void **state)
{
    (void)state;
    hp_line line = {.filled = HP_LINE_EMPTY};
    char places[HP_LINE_CHUNKS];
    for (unsigned count = 1; count <= HP_LINE_CHUNKS; count++) {
        for (unsigned index = 0; index < count; index++) {
            assert_true(hp_line_push(&line, &places[index]));
        }
        for (unsigned index = count; index-- > 0;) {
            assert_ptr_equal(hp_line_take(&line, line.filled), &places[index]);
        }
        assert_int_equal(line.filled, HP_LINE_EMPTY);
    }
}

static void pushes_and_takes_may_be_mixed(void **state)
{
    (void)state;
    hp_line line = {.filled = HP_LINE_EMPTY};
    char places[4];
    hp_line_push(&line, &places[0]);
    hp_line_push(&line, &places[1]);
    hp_line_push(&line, &places[2]);
    assert_ptr_equal(hp_line_take(&line, line.filled), &places[2]);
    hp_line_push(&line, &places[3]);

    assert_ptr_equal(hp_line_take(&line, line.filled), &places[3]);
    assert_ptr_equal(hp_line_take(&line, line.filled), &places[1]);
    assert_ptr_equal(hp_line_take(&line, line.filled), &places[0]);
}

static void an_eighth_chunk_does_not_fit(void **state)
{
    (void)state;
    hp_line line = {.filled = HP_LINE_EMPTY};
    char places[HP_LINE_CHUNKS + 1];
    for (unsigned index = 0; index < HP_LINE_CHUNKS; index++) {
        assert_true(hp_line_push(&line, &places[index]));
    }
    hp_line full = line;

    assert_false(hp_line_push(&line, &places[HP_LINE_CHUNKS]));

    assert_memory_equal(&line, &full, sizeof line);
}

/* ---- refill ---- */

static void the_refills_of_a_class_grow_from_one_chunk_to_a_line(void **state)
{
    (void)state;
    static const unsigned left_in_the_line[] = {0, 1, 3};
    for (unsigned refill = 0; refill < 3; refill++) {
        assert_non_null(hp_thread_refill(self, hp_class_of(96)));
        assert_int_equal(filled(96), left_in_the_line[refill]);
        while (filled(96) > 0) {
            take(96);
        }
    }

    assert_non_null(hp_thread_refill(self, hp_class_of(96)));

    assert_in_range(filled(96), HP_LINE_CHUNKS - 1, HP_LINE_CHUNKS);
}

static void chunks_of_a_new_slab_come_in_order_of_their_addresses(void **state)
{
    (void)state;
    for (unsigned index = 0; index < 200; index++) {
        chunks[index] = take(112);
    }

    for (unsigned index = 1; index < 200; index++) {
        assert_ptr_equal(chunks[index], (char *)chunks[index - 1] + 112);
    }
}

static void no_chunk_is_handed_out_twice(void **state)
{
    (void)state;
    for (unsigned index = 0; index < 256; index++) {
        chunks[index] = take(index % 2 == 0 ? 16 : 1024);
        for (unsigned other = 0; other < index; other++) {
            assert_ptr_not_equal(chunks[index], chunks[other]);
        }
    }
}

static void the_reserve_serves_while_the_owner_is_claimed(void **state)
{
    (void)state;
    while (!has_reserve(self, 64)) {
        take(64);
    }
    while (filled(64) > 0) {
        take(64);
    }
    assert_true(hp_claim_try(&mine->claim));

    void *chunk = take(64);

    hp_claim_release(&mine->claim);
    assert_ptr_equal(slab_of(chunk)->owner, mine);
    assert_int_equal(filled(64), HP_LINE_CHUNKS);
}

static void zeroed_chunks_come_out_of_the_reserve_too(void **state)
{
    (void)state;
    for (unsigned index = 0; index < 128; index++) {
        chunks[index] = hepta_calloc(1, 240);
    }

    hp_slab *slab = slab_of(chunks[0]);
    for (unsigned index = 0; index < 128; index++) {
        assert_ptr_equal(slab_of(chunks[index]), slab);
    }
    assert_true(slab->slot_count - slab->free->free_count <= 128 + 64);
}

static void while_the_owner_is_claimed_another_owner_refills(void **state)
{
    (void)state;
    assert_true(hp_claim_try(&mine->claim));

    void *chunk = hp_thread_refill(self, hp_class_of(64));

    hp_claim_release(&mine->claim);
    assert_ptr_not_equal(slab_of(chunk)->owner, mine);
    assert_false(hp_claim_is_taken(&slab_of(chunk)->owner->claim));
}

static void a_refill_works_in_what_others_have_freed(void **state)
{
    (void)state;
    void *chunk = take(80);
    hp_inbox_post(slab_of(chunk), 0, (uint64_t)1 << index_of(chunk));

    assert_ptr_equal(hp_thread_refill(self, hp_class_of(80)), chunk);

    assert_false(hp_inbox_has_news(mine));
}

static void without_memory_a_refill_gives_NULL(void **state)
{
    (void)state;
    fake.maps_left = 0;
    unsigned refills = 0;
    while (hp_thread_refill(self, hp_class_of(1024)) != NULL) {
        line_of(1024)->filled = HP_LINE_EMPTY; /* the test lets go of them */
        self->reserves[hp_class_of(1024)] = 0;
        assert_true(refills++ < 1000000);
    }

    assert_int_equal(filled(1024), 0);
    assert_false(hp_claim_is_taken(&mine->claim));
}

/* ---- spill ---- */

/* A full line, and an eighth chunk in chunks[7]. */
static void given_a_full_line(size_t bytes)
{
    for (unsigned index = 0; index < 8; index++) {
        chunks[index] = take(bytes);
    }
    line_of(bytes)->filled = HP_LINE_EMPTY; /* the test lets go of them */
    for (unsigned index = 0; index < HP_LINE_CHUNKS; index++) {
        assert_true(hp_line_push(line_of(bytes), chunks[index]));
    }
}

static void a_spilled_line_becomes_a_pack_and_the_chunk_stays(void **state)
{
    (void)state;
    given_a_full_line(64);

    spill(64, chunks[7]);

    assert_int_equal(filled(64), 1);
    assert_ptr_equal(line_of(64)->chunks[0], chunks[7]);
    assert_int_equal(hp_depot_count(mine, hp_class_of(64)), 1);
    assert_false(hp_claim_is_taken(&mine->claim));
}

static void a_pack_comes_back_in_the_order_in_which_the_line_would_have_given_it(void **state)
{
    (void)state;
    given_a_full_line(64);
    spill(64, chunks[7]);
    self->reserves[hp_class_of(64)] = 0; /* the test lets go of them */

    for (unsigned index = 8; index-- > 0;) {
        assert_ptr_equal(take(64), chunks[index]);
    }
}

static void a_reserve_stays_when_a_pack_is_seen_that_is_not_to_be_had(void **state)
{
    (void)state;
    given_a_full_line(64);
    spill(64, chunks[7]);
    uint64_t *reserve = &self->reserves[hp_class_of(64)];
    uint64_t before = *reserve;
    take(64);
    assert_true(has_reserve(self, 64) && hp_claim_try(&mine->claim));

    char *chunk = take(64); /* no other owner has a pack */

    hp_claim_release(&mine->claim);
    assert_ptr_equal(chunk, (char *)(uintptr_t)(before & ~HP_RESERVE_GROUPS_MASK));
    assert_int_equal(*reserve, before + HP_SLAB_GROUP_SLOTS * 64 - 1);
}

static void calloc_and_aligned_blocks_come_out_of_the_depot_too(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 2; way++) {
        given_a_full_line(64);
        spill(64, chunks[7]);
        assert_ptr_equal(take(64), chunks[7]);
        assert_ptr_equal(way == 0 ? hepta_calloc(1, 64) : hepta_aligned_alloc(64, 64), chunks[6]);
    }
}

static void a_line_that_the_depot_has_no_room_for_goes_to_its_slab(void **state)
{
    (void)state;
    given_a_full_line(1024);
    hp_slab *slab = slab_of(chunks[0]);
    mine->depot_bound_bytes = 0;
    uint32_t free_before = slab->free->free_count;

    spill(1024, chunks[7]);

    assert_int_equal(slab->free->free_count, free_before + HP_LINE_CHUNKS);
    assert_int_equal(filled(1024), 1);
}

static void a_line_of_a_claimed_owner_goes_as_notes(void **state)
{
    (void)state;
    given_a_full_line(64);
    hp_slab *slab = slab_of(chunks[0]);
    uint32_t free_before = slab->free->free_count;
    assert_true(hp_claim_try(&mine->claim));

    spill(64, chunks[7]);
    assert_int_equal(filled(64), 1);
    hp_outbox_flush(self);
    assert_int_equal(slab->free->free_count, free_before);
    hp_inbox_drain(mine);

    assert_int_equal(slab->free->free_count, free_before + HP_LINE_CHUNKS);
    hp_claim_release(&mine->claim);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, thread_setup, thread_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(a_line_gives_back_the_last_chunk_first),
        SPEC(pushes_and_takes_may_be_mixed),
        SPEC(an_eighth_chunk_does_not_fit),
        SPEC(the_refills_of_a_class_grow_from_one_chunk_to_a_line),
        SPEC(chunks_of_a_new_slab_come_in_order_of_their_addresses),
        SPEC(no_chunk_is_handed_out_twice),
        SPEC(the_reserve_serves_while_the_owner_is_claimed),
        SPEC(zeroed_chunks_come_out_of_the_reserve_too),
        SPEC(while_the_owner_is_claimed_another_owner_refills),
        SPEC(a_refill_works_in_what_others_have_freed),
        SPEC(without_memory_a_refill_gives_NULL),
        SPEC(a_spilled_line_becomes_a_pack_and_the_chunk_stays),
        SPEC(a_pack_comes_back_in_the_order_in_which_the_line_would_have_given_it),
        SPEC(a_reserve_stays_when_a_pack_is_seen_that_is_not_to_be_had),
        SPEC(calloc_and_aligned_blocks_come_out_of_the_depot_too),
        SPEC(a_line_that_the_depot_has_no_room_for_goes_to_its_slab),
        SPEC(a_line_of_a_claimed_owner_goes_as_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
