/*
 * The depot: packs of seven chunks between the lines of threads and the slabs of an owner.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "owner_slots.h"
#include "support/capture.h"

/* A pack of seven fresh chunks in the depot. */
static hp_pack *given_a_pack(size_t bytes)
{
    unsigned size_class = hp_class_of(bytes);
    hp_depot_make_packs(owner);
    hp_pack *pack = hp_depot_new_pack(owner, size_class);
    assert_non_null(pack);
    given_chunks(bytes, 0, HP_LINE_CHUNKS);
    for (unsigned index = 0; index < HP_LINE_CHUNKS; index++) {
        pack->chunks[index] = chunks[index];
    }
    hp_depot_push(owner, size_class, pack);
    return pack;
}

static void the_last_pack_that_came_is_the_first_to_go(void **state)
{
    (void)state;
    assert_null(hp_depot_pop(owner, hp_class_of(64)));
    hp_pack *first = given_a_pack(64);
    hp_pack *second = given_a_pack(64);

    assert_ptr_equal(hp_depot_pop(owner, hp_class_of(64)), second);
    assert_ptr_equal(hp_depot_pop(owner, hp_class_of(64)), first);
    assert_null(hp_depot_pop(owner, hp_class_of(64)));
}

/* Packs of one class, until there is no room for one more of them. */
static unsigned given_a_full_depot(size_t bytes)
{
    unsigned packs = 0;
    while (owner->depot_bytes + hp_pack_bytes(hp_class_of(bytes)) <= owner->depot_bound_bytes) {
        given_a_pack(bytes);
        packs++;
    }
    hp_depot_make_packs(owner);
    return packs;
}

static void a_full_depot_takes_no_more_packs_but_of_a_smaller_class(void **state)
{
    (void)state;
    owner->depot_bound_bytes = 100 << 10;

    assert_int_equal(given_a_full_depot(1024), (100 << 10) / (7 * 1024));

    assert_null(hp_depot_new_pack(owner, hp_class_of(1024)));
    assert_non_null(hp_depot_new_pack(owner, hp_class_of(256)));
    assert_int_equal(hp_depot_count(owner, hp_class_of(1024)), (100 << 10) / (7 * 1024));
}

static void all_depots_together_hold_1_mib_in_equal_shares_of_at_least_64_kib(void **state)
{
    (void)state;
    assert_int_equal(hp_depot_share_bytes(1), 1 << 20);
    assert_int_equal(hp_depot_share_bytes(8), 128 << 10);
    assert_int_equal(hp_depot_share_bytes(1000), 64 << 10);

    uint32_t owners = 0;
    for (hp_owner *each = hp_owners_first(); each != NULL; each = hp_owners_next(each)) {
        owners++;
    }
    assert_int_equal(owner->depot_bound_bytes, hp_depot_share_bytes(owners));
}

static void without_spare_packs_there_is_no_new_one_until_some_are_made(void **state)
{
    (void)state;
    assert_null(hp_depot_new_pack(owner, hp_class_of(64)));

    hp_depot_make_packs(owner);

    assert_non_null(hp_depot_new_pack(owner, hp_class_of(64)));
}

static void recycled_packs_serve_again_without_new_records(void **state)
{
    (void)state;
    hp_pack *pack = given_a_pack(64);
    hp_depot_recycle(owner, hp_depot_pop(owner, hp_class_of(64)));

    assert_ptr_equal(hp_depot_new_pack(owner, hp_class_of(1024)), pack);
}

static void an_emptied_depot_has_every_chunk_back_in_its_slab(void **state)
{
    (void)state;
    given_a_pack(64);
    given_a_pack(64);
    given_a_pack(1008);

    hp_depot_empty(owner);

    assert_int_equal(owner->depot_bytes, 0);
    assert_int_equal(slabs_of(64)->first->free->free_count, slabs_of(64)->first->slot_count);
    assert_int_equal(slabs_of(1008)->first->free->free_count, slabs_of(1008)->first->slot_count);
}

static void a_chunk_of_another_owner_becomes_a_note_for_it(void **state)
{
    (void)state;
    hp_owner *other = owner;
    given_chunks(64, 0, 1);
    hp_owner *mine = hp_owners_claim_any(NULL);
    assert_ptr_not_equal(mine, other);

    hp_depot_free_chunk(mine, chunks[0]);

    assert_int_equal(slab_of(chunks[0])->pending, 1);
    assert_int_equal(atomic_load(&other->inbox_bytes), 64);
    hp_inbox_drain(other);
    assert_int_equal(slab_of(chunks[0])->free->free_count, slab_of(chunks[0])->slot_count);
}

static void a_chunk_that_is_free_already_is_reported(void **state)
{
    (void)state;
    given_chunks(64, 0, 2);
    hp_depot_free_chunk(owner, chunks[0]);
    char wanted[80];
    snprintf(wanted, sizeof wanted, "hepta: free(): double free of %p\n", chunks[0]);

    capture_begin();
    hp_depot_free_chunk(owner, chunks[0]);

    assert_string_equal(capture_end(), wanted);
    assert_int_equal(slab_of(chunks[1])->free->free_count, slab_of(chunks[1])->slot_count - 1);
}

static void what_is_no_slot_is_reported(void **state)
{
    (void)state;
    given_chunks(64, 0, 1);
    char *inside = (char *)chunks[0] + 16;
    char wanted[160];
    snprintf(wanted, sizeof wanted,
             "hepta: free(): invalid pointer %p\nhepta: free(): invalid pointer %p\n",
             (void *)inside, (void *)wanted);

    capture_begin();
    hp_depot_free_chunk(owner, inside);
    hp_depot_free_chunk(owner, wanted);

    assert_string_equal(capture_end(), wanted);
}

#define SPEC(test) cmocka_unit_test_setup_teardown(test, owner_setup, owner_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPEC(the_last_pack_that_came_is_the_first_to_go),
        SPEC(a_full_depot_takes_no_more_packs_but_of_a_smaller_class),
        SPEC(all_depots_together_hold_1_mib_in_equal_shares_of_at_least_64_kib),
        SPEC(without_spare_packs_there_is_no_new_one_until_some_are_made),
        SPEC(recycled_packs_serve_again_without_new_records),
        SPEC(an_emptied_depot_has_every_chunk_back_in_its_slab),
        SPEC(a_chunk_of_another_owner_becomes_a_note_for_it),
        SPEC(a_chunk_that_is_free_already_is_reported),
        SPEC(what_is_no_slot_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
