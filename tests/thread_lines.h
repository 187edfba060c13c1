/*
 * The calling thread's record for tests, on the fake system. cmocka.h has to be included before.
 */
#pragma once

#include "cache/outbox.h"
#include "cache/refill.h"
#include "cache/thread.h"
#include "hepta/hepta.h"
#include "metadata/address_map.h"
#include "owner/depot.h"
#include "owner/inbox.h"
#include "owner/owners.h"
#include "platform/system.h"
#include "support/fake_system.h"

static hp_thread *self;
static hp_owner *mine; /* of self */

/* The caller's record, after as many slow paths as it takes to get one. */
static inline hp_thread *be_born(void)
{
    hp_thread *record = NULL;
    for (unsigned slow_paths = 0; record == NULL && slow_paths < 100000; slow_paths++) {
        record = hp_thread_enter();
    }
    return record;
}

/* So that another thread has one to be bound to. */
static inline void given_a_second_owner(void)
{
    if (hp_owners_next(hp_owners_first()) == NULL) {
        hp_claim_try(&mine->claim);
        hp_claim_release(&hp_owners_claim_any(NULL)->claim);
        hp_claim_release(&mine->claim);
    }
}

/* A record without chunks changes to an owner that is not mine: with one processor all have the same. */
static inline void bind_to_another_owner(hp_thread *record)
{
    hp_owner *other = hp_owners_first();
    other = other == mine ? hp_owners_next(other) : other;
    hp_owners_unbind(record->owner);
    atomic_fetch_add(&other->bound_threads, 1);
    record->owner = other;
    record->tag = hp_owner_tag(other->id);
}

/* Every test starts with empty lines, an empty depot, and every class as if never used before. */
static inline int thread_setup(void **state)
{
    fake_system_setup(state);
    self = be_born();
    mine = self->owner;
    given_a_second_owner();
    hp_thread_flush(self);
    hp_owners_trim_all();
    for (unsigned size_class = 0; size_class < HP_CACHED_CLASSES; size_class++) {
        self->refill_chunks[size_class] = 1;
    }
    return 0;
}

static inline int thread_teardown(void **state)
{
    const char *broken = hp_thread_check(self);
    hp_thread_flush(self);
    broken = broken != NULL ? broken : hp_owner_check(mine);
    if (broken != NULL) {
        print_error("%s\n", broken);
    }
    fake_system_teardown(state);
    return broken != NULL;
}

static inline hp_line *line_of(size_t bytes)
{
    return &self->lines[hp_class_of(bytes)];
}

static inline unsigned filled(size_t bytes)
{
    return (unsigned)(line_of(bytes)->filled - hp_line_empty(hp_class_of(bytes)));
}

static inline bool has_reserve(const hp_thread *record, size_t bytes)
{
    return (record->reserves[hp_class_of(bytes)] & HP_RESERVE_GROUPS_MASK) != 0;
}

static inline hp_slab *slab_of(const void *chunk)
{
    hp_entry entry = hp_map_get(chunk);
    assert_int_equal(hp_entry_kind(entry), HP_KIND_SLAB);
    return hp_entry_record(entry);
}

static inline uint32_t index_of(const void *chunk)
{
    return hp_slab_index(slab_of(chunk), chunk);
}

static inline void *take(size_t bytes)
{
    void *chunk = hepta_malloc(bytes);
    assert_non_null(chunk);
    return chunk;
}

/* free into the full line of a small class, as the slow path of free does it. */
static inline void spill(size_t bytes, void *chunk)
{
    hp_thread_spill(self, hp_class_of(bytes), chunk);
}

/* A chunk of an owner that is not mine; that owner's claim is open again. */
static inline void *given_a_chunk_of_another_owner(size_t bytes)
{
    void *chunk;
    assert_true(hp_claim_try(&mine->claim));
    hp_owner *other = hp_owners_claim_any(mine);
    hp_claim_release(&mine->claim);
    assert_int_equal(hp_owner_take(other, hp_class_of(bytes), 1, &chunk), 1);
    hp_claim_release(&other->claim);
    return chunk;
}
