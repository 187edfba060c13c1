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

enum { WORDS = 8, SLOTS = 64 * WORDS };

static hp_owner *other;
static hp_slab *slab;
static void *chunks[SLOTS]; /* of one slab of 64-byte slots: eight bitmap words */

/* Another owner's slab, all of its first eight words handed out. */
static int setup(void **state)
{
    thread_setup(state);
    hp_claim_try(&mine->claim);
    other = hp_owners_claim_any(mine);
    hp_claim_release(&mine->claim);
    hp_inbox_drain(other);
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
    hp_inbox_drain(other);
    for (unsigned word = 0; word < WORDS && slab->free->free_count < slab->slot_count; word++) {
        hp_owner_put_word(other, slab, word, ~slab->free->words[word]);
    }
    hp_claim_release(&other->claim);
    return thread_teardown(state);
}

static void add(unsigned index)
{
    hp_outbox_add(self, slab, index);
}

static uint64_t posted(unsigned word)
{
    return atomic_load(&slab->remote[word]);
}

static uint64_t bytes_posted(void)
{
    return atomic_load(&other->inbox_bytes);
}

/* The bits that are gathered for a word of the slab. */
static uint64_t gathered(unsigned word)
{
    for (unsigned place = 0; place < HP_OUTBOX_PLACES; place++) {
        if (self->outbox_keys[place] == hp_outbox_key(slab, 64 * word)) {
            return self->outbox_bits[place];
        }
    }
    return 0;
}

static void frees_of_one_word_are_gathered_and_not_posted(void **state)
{
    (void)state;
    add(3);
    add(60);
    add(0);

    assert_int_equal(gathered(0), 1 | 1 << 3 | (uint64_t)1 << 60);
    assert_int_equal(slab->pending, 0);
    assert_null(hp_outbox_check(self));
}

static void neighbouring_words_of_a_slab_have_places_of_their_own(void **state)
{
    (void)state;
    for (unsigned index = 0; index < SLOTS; index += 64) {
        add(index);
        add(index + 1);
    }

    for (unsigned word = 0; word < WORDS; word++) {
        assert_int_equal(gathered(word), 3);
    }
    assert_int_equal(slab->pending, 0);
}

static void a_word_that_gets_the_place_of_another_one_posts_that_one(void **state)
{
    (void)state;
    size_t place = hp_outbox_place(hp_grain_of(chunks[5]), 5);
    add(70);
    add(5);
    hp_slab *stranger = slab_of(given_a_chunk_of_another_owner(1024));
    self->outbox_keys[place] = hp_outbox_key(stranger, 0); /* as if it had that place */
    self->outbox_bits[place] = 1;
    self->outbox_room -= 1024 - 64;

    add(6);

    assert_int_equal(atomic_load(&stranger->remote[0]), 1);
    assert_int_equal(gathered(0), 1 << 6);
    assert_int_equal(gathered(1), 1 << 6);
    assert_null(hp_outbox_check(self));
    hp_outbox_add(self, slab, 5);
}

static void a_flush_posts_everything(void **state)
{
    (void)state;
    add(0);
    add(1);
    add(64 + 5);

    hp_outbox_flush(self);

    assert_int_equal(posted(0), 3);
    assert_int_equal(posted(1), 1 << 5);
    assert_int_equal(gathered(0) + gathered(1), 0);
    assert_int_equal(bytes_posted(), 3 * 64);
}

static void a_flush_of_an_empty_outbox_posts_nothing(void **state)
{
    (void)state;
    hp_outbox_flush(self);

    assert_int_equal(slab->pending, 0);
    assert_int_equal(bytes_posted(), 0);
}

static unsigned words_posted(void)
{
    unsigned words = 0;
    for (unsigned word = 0; word < WORDS; word++) {
        words += posted(word) != 0;
    }
    return words;
}

static void a_full_outbox_posts_no_more_than_makes_an_eighth_of_it_free(void **state)
{
    (void)state;
    for (unsigned index = 1; index < SLOTS; index++) {
        add(index);
    }
    int64_t elsewhere = self->outbox_room;
    self->outbox_room -= elsewhere; /* as if as much lay in the other places */

    add(0);

    assert_int_equal(words_posted(), HP_OUTBOX_STEP_BYTES / (64 * 64) + 1);
    assert_true(self->outbox_room >= HP_OUTBOX_STEP_BYTES);
    self->outbox_room += elsewhere;
    assert_null(hp_outbox_check(self));
}

static void a_full_outbox_posts_its_places_in_turn(void **state)
{
    (void)state;
    for (unsigned index = 0; index < SLOTS; index++) {
        add(index);
    }
    int64_t room = self->outbox_room;

    for (unsigned word = 1; word <= WORDS; word++) {
        self->outbox_room = HP_OUTBOX_STEP_BYTES - 1;
        hp_outbox_make_room(self);
        assert_int_equal(words_posted(), word);
    }

    self->outbox_room = room + SLOTS * 64;
    assert_null(hp_outbox_check(self));
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
    assert_int_equal(gathered(0), 1 << 9);
}

static void no_more_bytes_are_gathered_than_the_outbox_may_hold(void **state)
{
    (void)state;
    enum { LARGE = 3 * HP_OUTBOX_BYTES / 32768 };
    void *large[LARGE];
    assert_true(hp_claim_try(&other->claim));
    for (unsigned index = 0; index < LARGE; index++) {
        assert_int_equal(hp_owner_take(other, hp_class_of(32768), 1, &large[index]), 1);
    }
    hp_claim_release(&other->claim);

    for (unsigned index = 0; index < LARGE; index++) {
        hp_outbox_add(self, slab_of(large[index]), index_of(large[index]));
        assert_null(hp_outbox_check(self));
        assert_true(bytes_posted() + HP_OUTBOX_BYTES >= (index + 1) * 32768);
    }
}

/* ---- the check ---- */

static void check_notices_room_that_does_not_match_the_content(void **state)
{
    (void)state;
    add(3);
    assert_int_equal(self->outbox_room, HP_OUTBOX_BYTES - 64);

    self->outbox_room += 64;
    assert_string_equal(hp_outbox_check(self),
                        "Q1: the room of the outbox does not match its content");

    self->outbox_room -= 64;
    assert_null(hp_outbox_check(self));
}

static void check_notices_a_place_with_half_of_what_it_needs(void **state)
{
    (void)state;
    static const char wanted[] =
        "Q2: a place of the outbox has a key without bits, or bits without a key";
    add(3);
    size_t place = hp_outbox_place(hp_grain_of(chunks[3]), 3);

    self->outbox_bits[place] = 0;
    assert_string_equal(hp_outbox_check(self), wanted);
    self->outbox_keys[place] = 0;
    self->outbox_bits[place] = 1 << 3;
    assert_string_equal(hp_outbox_check(self), wanted);

    self->outbox_keys[place] = hp_outbox_key(slab, 3);
    assert_null(hp_outbox_check(self));
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(frees_of_one_word_are_gathered_and_not_posted),
        SPEC(neighbouring_words_of_a_slab_have_places_of_their_own),
        SPEC(a_word_that_gets_the_place_of_another_one_posts_that_one),
        SPEC(a_flush_posts_everything),
        SPEC(a_flush_of_an_empty_outbox_posts_nothing),
        SPEC(a_full_outbox_posts_no_more_than_makes_an_eighth_of_it_free),
        SPEC(a_full_outbox_posts_its_places_in_turn),
        SPEC(what_was_posted_is_free_after_the_owner_has_drained),
        SPEC(a_chunk_that_is_in_the_outbox_already_is_reported),
        SPEC(no_more_bytes_are_gathered_than_the_outbox_may_hold),
        SPEC(check_notices_room_that_does_not_match_the_content),
        SPEC(check_notices_a_place_with_half_of_what_it_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
