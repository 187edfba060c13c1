/*
 * free into a full line: seven chunks go to the depot, or to their slabs, or as notes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "thread_lines.h"

static void *chunks[8];

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

static void packs_come_and_go_while_the_owner_is_claimed(void **state)
{
    (void)state;
    given_a_full_line(64);
    assert_true(hp_claim_try(&mine->claim));

    spill(64, chunks[7]);
    assert_int_equal(hp_depot_count(mine, hp_class_of(64)), 1);
    assert_ptr_equal(take(64), chunks[7]);
    assert_ptr_equal(take(64), chunks[6]);

    hp_claim_release(&mine->claim);
    assert_int_equal(hp_depot_count(mine, hp_class_of(64)), 0);
}

static void a_pack_is_used_before_the_reserve(void **state)
{
    (void)state;
    while (!has_reserve(self, 64)) {
        take(64);
    }
    given_a_full_line(64);
    spill(64, chunks[7]);
    uint64_t before = self->reserves[hp_class_of(64)];

    take(64);
    assert_ptr_equal(take(64), chunks[6]);

    assert_int_equal(self->reserves[hp_class_of(64)], before);
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

/* The depot and the hand have no room. */
static void spill_past_the_depot(size_t bytes, void *chunk)
{
    uint32_t room = self->hand.room_bytes;
    self->hand.room_bytes = 0;
    mine->depot_bytes += 1 << 30;
    spill(bytes, chunk);
    mine->depot_bytes -= 1 << 30;
    self->hand.room_bytes = room;
}

static void a_line_that_the_depot_has_no_room_for_goes_to_its_slab(void **state)
{
    (void)state;
    given_a_full_line(1024);
    hp_slab *slab = slab_of(chunks[0]);
    uint32_t free_before = slab->free->free_count;

    spill_past_the_depot(1024, chunks[7]);

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

    spill_past_the_depot(64, chunks[7]);
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
        SPEC(a_spilled_line_becomes_a_pack_and_the_chunk_stays),
        SPEC(a_pack_comes_back_in_the_order_in_which_the_line_would_have_given_it),
        SPEC(packs_come_and_go_while_the_owner_is_claimed),
        SPEC(a_pack_is_used_before_the_reserve),
        SPEC(calloc_and_aligned_blocks_come_out_of_the_depot_too),
        SPEC(a_line_that_the_depot_has_no_room_for_goes_to_its_slab),
        SPEC(a_line_of_a_claimed_owner_goes_as_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
