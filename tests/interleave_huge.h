/*
 * The steps of the kept huge mappings, as rows of one world: take_kept, free with its neighbours, put, purge
 * and map_new, with records that serve another mapping while a thread still looks at them (ABA).
 *
 * These functions cannot be called in parts, so they are mirrored here line by line, with their names, on the
 * real record and the real stack of spare records; with 2 slots instead of 32, and what is kept in front and
 * behind is looked for in one walk instead of two. Memory is a row of units; each mapping has some of them.
 * What is freed goes on in interleave_huge_free.h.
 */
#pragma once

#include <string.h>

#include "arena/kept.h"

#define MIB ((size_t)1 << 20)
#define UNIT_BYTES (24 * MIB)

enum { KEPT_SLOTS = 2, RECORDS = 10, UNITS = 24, THREADS = 3, JOBS = 4 };

typedef enum line {
    NEXT_JOB,
    TAKE_PEEK,
    TAKE_PEEK_BYTES,
    TAKE_SLOT,
    TAKE_COUNT,
    TAKE_LOOK_AGAIN,
    CUT,
    NEW_RECORD,
    JOIN_PEEK,
    JOIN_PEEK_ENDS,
    JOIN_SLOT,
    JOIN_COUNT,
    JOIN_LOOK_AGAIN,
    JOIN_RECYCLE,
    DISCARD,
    KEEP_ADD,
    KEEP_SLOT,
    KEEP_SUBTRACT,
    EVICT_PEEK,
    EVICT_SLOT,
    EVICT_COUNT,
    UNMAP,
    RECYCLE,
    PURGE_SLOT,
    PURGE_COUNT
} line;

typedef enum job_kind { END, ALLOCATE, FREE, PURGE } job_kind;

typedef struct job {
    job_kind kind;
    size_t bytes;
} job;

static const job programs[THREADS][JOBS] = {
    {{ALLOCATE, 48 * MIB}, {FREE, 0}, {END, 0}},
    {{PURGE, 0}, {ALLOCATE, 24 * MIB}, {FREE, 0}, {END, 0}},
    {{ALLOCATE, 24 * MIB}, {FREE, 0}, {END, 0}},
};

typedef struct thread {
    line at;
    unsigned jobs_done;
    unsigned slot; /* that is looked at or purged */
    unsigned best_slot;
    size_t least; /* cost of what is there */
    hp_huge *best;
    unsigned keep_slot; /* that is tried to keep in */
    bool evicted;
    hp_huge *huge; /* that it looks at, or has in its hands */
    bool in_hands;
    hp_huge
        *other; /* a second one that it has in its hands, until it goes on with it at this line: */
    line then;
    hp_huge *in_use; /* the block that the program holds */
} thread;

typedef struct huge_world {
    hp_huge *_Atomic kept[KEPT_SLOTS];
    _Atomic uint64_t dirty_bytes;
    hp_stack spare_records;
    hp_huge records[RECORDS];
    unsigned records_used;
    uintptr_t units_made;
    uint32_t origins;
    bool mapped[UNITS];
    thread threads[THREADS];
    const char *broken;
} huge_world;

static huge_world world;

/* Each of these is wrong on purpose. */
typedef enum mutation {
    NONE,
    NO_SECOND_LOOK,
    NO_SECOND_LOOK_BESIDE,
    COUNTED_AFTER_KEEPING
} mutation;
static mutation wrong;

static inline size_t bytes_of(const hp_huge *huge)
{
    return atomic_load(&huge->mapped_bytes);
}

static inline bool is_filled(const hp_huge *huge)
{
    return atomic_load(&huge->filled);
}

static inline uintptr_t start_of(const hp_huge *huge)
{
    return (uintptr_t)huge->mapping;
}

static inline uintptr_t end_of(const hp_huge *huge)
{
    return start_of(huge) + bytes_of(huge) / UNIT_BYTES;
}

static inline size_t cost(const hp_huge *huge, size_t bytes)
{
    return hp_kept_cost(bytes_of(huge), is_filled(huge), bytes);
}

static inline bool fits(const hp_huge *huge, size_t bytes)
{
    size_t mapped = bytes_of(huge);
    return mapped >= bytes && mapped - bytes <= mapped >> 3;
}

static inline void expect_mapped(const hp_huge *huge, const char *otherwise)
{
    for (uintptr_t unit = start_of(huge); unit < end_of(huge); unit++) {
        if (!world.mapped[unit]) {
            world.broken = otherwise;
        }
    }
}

static inline void set_mapped(const hp_huge *huge, bool mapped)
{
    for (uintptr_t unit = start_of(huge); unit < end_of(huge); unit++) {
        world.mapped[unit] = mapped;
    }
}

static inline void use(thread *self, size_t bytes)
{
    if (!fits(self->huge, bytes)) {
        world.broken = "a block lies in a mapping that does not fit";
    }
    expect_mapped(self->huge, "a block lies in a range that was unmapped");
    self->in_use = self->huge;
    self->in_hands = false;
    self->at = NEXT_JOB;
}

static inline void look_at_next_slot(thread *self)
{
    self->slot++;
    self->at = TAKE_PEEK;
    if (self->slot == KEPT_SLOTS) {
        self->huge = self->best;
        self->at = self->best == NULL ? NEW_RECORD : TAKE_SLOT;
    }
}

static inline void step_peek(thread *self, size_t bytes)
{
    if (self->at == TAKE_PEEK) {
        self->huge = atomic_load(&world.kept[self->slot]);
        self->at = TAKE_PEEK_BYTES;
        if (self->huge == NULL) {
            look_at_next_slot(self);
        }
        return;
    }
    if (cost(self->huge, bytes) < self->least) {
        self->least = cost(self->huge, bytes);
        self->best = self->huge;
        self->best_slot = self->slot;
    }
    look_at_next_slot(self);
}

static inline hp_huge *new_record(void)
{
    hp_stack_node *node = hp_stack_pop(&world.spare_records);
    return node != NULL ? (hp_huge *)(void *)node : &world.records[world.records_used++];
}

/* Between two mappings a unit is left, which nobody maps. */
static inline void map(hp_huge *huge, size_t bytes)
{
    huge->mapping = (char *)world.units_made;
    huge->origin = world.origins++;
    atomic_store(&huge->mapped_bytes, bytes);
    set_mapped(huge, true);
    world.units_made = end_of(huge) + 1;
}

/* fit_to: moved to grow, or cut with a rest that is kept. */
static inline void fit(thread *self, size_t bytes)
{
    hp_huge *huge = self->huge;
    if (bytes_of(huge) < bytes) {
        set_mapped(huge, false);
        map(huge, bytes);
    }
    size_t behind = bytes_of(huge) - bytes;
    bool cut = !fits(huge, bytes);
    if (cut) {
        atomic_store(&huge->mapped_bytes, bytes);
    }
    use(self, bytes);
    if (cut) {
        self->huge = new_record();
        self->huge->mapping = (char *)end_of(huge);
        self->huge->origin = huge->origin;
        self->huge->dirty_bytes = huge->dirty_bytes == 0 ? 0 : behind;
        atomic_store(&self->huge->filled, is_filled(huge));
        atomic_store(&self->huge->mapped_bytes, behind);
        self->in_hands = true;
        self->at = KEEP_ADD;
    }
}

static inline void step_take(thread *self, size_t bytes)
{
    if (self->at <= TAKE_PEEK_BYTES) {
        step_peek(self, bytes);
    } else if (self->at == TAKE_SLOT) {
        hp_huge *seen = self->huge;
        self->in_hands = atomic_compare_exchange_strong(&world.kept[self->best_slot], &seen, NULL);
        self->at = self->in_hands ? TAKE_COUNT : NEW_RECORD;
    } else if (self->at == TAKE_COUNT) {
        atomic_fetch_sub(&world.dirty_bytes, self->huge->dirty_bytes);
        self->at = TAKE_LOOK_AGAIN;
    } else if (wrong == NO_SECOND_LOOK) {
        use(self, bytes);
    } else if (self->at == TAKE_LOOK_AGAIN) {
        self->at = cost(self->huge, bytes) != SIZE_MAX ? CUT : KEEP_ADD;
    } else {
        fit(self, bytes);
    }
}

static inline void step_map_new(thread *self, size_t bytes)
{
    self->huge = new_record();
    map(self->huge, bytes);
    use(self, bytes);
}
