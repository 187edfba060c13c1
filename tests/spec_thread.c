/*
 * The lines of a thread: last in, first out; how they are refilled. Spilling is in
 * spec_thread_spill.c, the outbox in spec_outbox.c, birth and exit in spec_thread_exit.c.
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
