/*
 * The outbox: frees of other owners' chunks, gathered per bitmap word before they are posted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/capture.h"
#include "thread_lines.h"

enum { SLOTS = 64 * 8 };

static hp_owner *other;
static hp_slab *slab;
static void *chunks[SLOTS]; /* of one slab of 64-byte slots: eight bitmap words */

/* Another owner's slab, all of its first eight words handed out. */
static int setup(void **state)
{
    thread_setup(state);
    hp_claim_try(&mine->claim);
    other = hp_owner_claim_any(mine);
    hp_claim_release(&mine->claim);
    hp_owner_drain(other);
    hp_owner_trim(other);
    unsigned size_class = hp_class_of(64);
    for (unsigned taken = 0; taken < SLOTS;) {
        taken += hp_owner_take(other, size_class, SLOTS - taken, chunks + taken);
    }
    slab = slab_of(chunks[0]);
    hp_claim_release(&other->claim);
    return slab_of(chunks[SLOTS - 1]) != slab;
}

/* What is still out goes back, so that the next test finds the slab gone. */
static int teardown(void **state)
{
    hp_outbox_flush(self);
    hp_claim_try(&other->claim);
    hp_owner_drain(other);
    for (unsigned word = 0; word < SLOTS / 64 && slab->free->free_count < slab->slot_count;
         word++) {
        hp_owner_put_word(other, slab, word, ~slab->free->words[word]);
    }
    hp_claim_release(&other->claim);
    return thread_teardown(state);
}

static void add(unsigned index)
{
    hp_outbox_add(self, slab, index);
}

static uint64_t remote(unsigned word)
{
    return atomic_load(&slab->remote[word]);
}

static unsigned entries_in_use(void)
{
    unsigned count = 0;
    for (unsigned index = 0; index < HP_OUTBOX_ENTRIES; index++) {
        count += self->outbox[index].bits != 0;
    }
    return count;
}

static void frees_of_one_word_are_gathered_and_not_posted(void **state)
{
    (void)state;
    add(3);
    add(60);
    add(0);

    assert_int_equal(entries_in_use(), 1);
    assert_int_equal(self->outbox[0].bits, 1 | 1 << 3 | (uint64_t)1 << 60);
    assert_int_equal(remote(0), 0);
}

static void the_word_of_the_last_free_is_in_front(void **state)
{
    (void)state;
    add(0);
    add(64);
    assert_int_equal(self->outbox[0].key, hp_outbox_key(slab, 64));

    add(1);

    assert_int_equal(entries_in_use(), 2);
    assert_int_equal(self->outbox[0].key, hp_outbox_key(slab, 1));
    assert_int_equal(self->outbox[0].bits, 3);
}

static void a_fifth_word_posts_the_one_that_was_used_longest_ago(void **state)
{
    (void)state;
    for (unsigned word = 0; word < 4; word++) {
        add(word * 64);
    }
    add(1); /* word 0 is in front again, word 1 is the oldest */
    assert_int_equal(slab->pending, 0);

    add(4 * 64);

    assert_int_equal(slab->pending, 1 << 1);
    assert_int_equal(remote(1), 1);
    assert_int_equal(remote(0) + remote(2) + remote(3) + remote(4), 0);
    assert_int_equal(entries_in_use(), 4);
}

static void a_flush_posts_everything(void **state)
{
    (void)state;
    add(0);
    add(1);
    add(64 + 5);

    hp_outbox_flush(self);

    assert_int_equal(remote(0), 3);
    assert_int_equal(remote(1), 1 << 5);
    assert_int_equal(entries_in_use(), 0);
    assert_int_equal(self->outbox_older_bytes, 0);
    assert_int_equal(atomic_load(&other->inbox_bytes), 3 * 64);
}

static void a_flush_of_an_empty_outbox_posts_nothing(void **state)
{
    (void)state;
    hp_outbox_flush(self);

    assert_int_equal(slab->pending, 0);
    assert_false(hp_inbox_has_news(other));
}

static void what_was_posted_is_free_after_the_owner_has_drained(void **state)
{
    (void)state;
    for (unsigned index = 0; index < SLOTS; index += 7) {
        add(index);
    }
    hp_outbox_flush(self);
    assert_true(hp_claim_try(&other->claim));

    hp_inbox_drain(other);

    hp_claim_release(&other->claim);
    for (unsigned index = 0; index < SLOTS; index++) {
        bool is_free = (slab->free->words[index / 64] >> index % 64 & 1) != 0;
        assert_int_equal(is_free, index % 7 == 0);
    }
}

static void a_chunk_that_is_in_the_outbox_already_is_reported(void **state)
{
    (void)state;
    add(9);
    char wanted[80];
    snprintf(wanted, sizeof wanted, "hepta: free(): double free of %p\n", chunks[9]);

    capture_begin();
    add(9);

    assert_string_equal(capture_end(), wanted);
    assert_int_equal(self->outbox[0].bits, 1 << 9);
}

static void at_most_16_kib_wait_behind_the_most_recent_word(void **state)
{
    (void)state;
    unsigned size_class = hp_class_of(16384);
    void *large[16];
    assert_true(hp_claim_try(&other->claim));
    for (unsigned index = 0; index < 16; index++) {
        assert_int_equal(hp_owner_take(other, size_class, 1, &large[index]), 1);
    }
    hp_claim_release(&other->claim);

    for (unsigned index = 0; index < 16; index++) {
        hp_outbox_add(self, slab_of(large[index]), index_of(large[index]));
        add(index * 8);
        assert_in_range(self->outbox_older_bytes, 0, HP_OUTBOX_LIMIT_BYTES);
    }

    assert_true(atomic_load(&other->inbox_bytes) >= 14 * 16384);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(frees_of_one_word_are_gathered_and_not_posted),
        SPEC(the_word_of_the_last_free_is_in_front),
        SPEC(a_fifth_word_posts_the_one_that_was_used_longest_ago),
        SPEC(a_flush_posts_everything),
        SPEC(a_flush_of_an_empty_outbox_posts_nothing),
        SPEC(what_was_posted_is_free_after_the_owner_has_drained),
        SPEC(a_chunk_that_is_in_the_outbox_already_is_reported),
        SPEC(at_most_16_kib_wait_behind_the_most_recent_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
