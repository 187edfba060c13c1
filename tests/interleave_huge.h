/*
 * The steps of the kept huge mappings, as rows of one world: take_kept, put, purge and map_new, with
 * records that serve another mapping while a thread still looks at them (ABA).
 *
 * These functions cannot be called in parts, so they are mirrored here line by line, with their names, on the
 * real record and the real stack of spare records; with 2 slots instead of 16. A mapping is a number.
 */
#pragma once

#include <string.h>

#include "arena/huge.h"

#define MIB ((size_t)1 << 20)

enum { KEPT_SLOTS = 2, RECORDS = 8, MAPPINGS = 16, THREADS = 3, JOBS = 4 };

typedef enum line {
    NEXT_JOB,
    TAKE_PEEK,
    TAKE_PEEK_BYTES,
    TAKE_SLOT,
    TAKE_COUNT,
    TAKE_LOOK_AGAIN,
    CUT,
    NEW_RECORD,
    KEEP_ADD,
    KEEP_SLOT,
    KEEP_SUBTRACT,
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
    unsigned nearest_slot;
    size_t least; /* distance of what is there */
    hp_huge *nearest;
    unsigned keep_slot; /* that is tried to keep in */
    hp_huge *huge;      /* that it looks at, or has in its hands */
    bool in_hands;
    hp_huge *in_use; /* the block that the program holds */
} thread;

typedef struct huge_world {
    hp_huge *_Atomic kept[KEPT_SLOTS];
    _Atomic uint64_t kept_bytes;
    hp_stack spare_records;
    hp_huge records[RECORDS];
    unsigned records_used;
    uintptr_t mappings_made;
    bool mapped[MAPPINGS];
    thread threads[THREADS];
    const char *broken;
} huge_world;

static huge_world world;

/* Each of these is wrong on purpose. */
typedef enum mutation { NONE, NO_SECOND_LOOK, COUNTED_AFTER_KEEPING } mutation;
static mutation wrong;

static inline size_t distance(const hp_huge *huge, size_t bytes)
{
    size_t mapped = atomic_load(&huge->mapped_bytes);
    return mapped >= bytes ? mapped - bytes : mapped >= bytes / 2 ? bytes - mapped : SIZE_MAX;
}

static inline bool fits(const hp_huge *huge, size_t bytes)
{
    size_t mapped = atomic_load(&huge->mapped_bytes);
    return mapped >= bytes && mapped - bytes <= mapped >> 3;
}

static inline void use(thread *self, size_t bytes)
{
    if (!fits(self->huge, bytes)) {
        world.broken = "a block lies in a mapping that does not fit";
    }
    if (!world.mapped[(uintptr_t)self->huge->mapping]) {
        world.broken = "a block lies in a range that was unmapped";
    }
    self->in_use = self->huge;
    self->in_hands = false;
    self->at = NEXT_JOB;
}

static inline void look_at_next_slot(thread *self)
{
    self->slot++;
    self->at = TAKE_PEEK;
    if (self->slot == KEPT_SLOTS) {
        self->huge = self->nearest;
        self->at = self->nearest == NULL ? NEW_RECORD : TAKE_SLOT;
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
    if (distance(self->huge, bytes) < self->least) {
        self->least = distance(self->huge, bytes);
        self->nearest = self->huge;
        self->nearest_slot = self->slot;
    }
    look_at_next_slot(self);
}

static inline hp_huge *new_record(void)
{
    hp_stack_node *node = hp_stack_pop(&world.spare_records);
    return node != NULL ? (hp_huge *)(void *)node : &world.records[world.records_used++];
}

static inline void map(hp_huge *huge, size_t bytes)
{
    huge->mapping = (char *)world.mappings_made;
    world.mapped[world.mappings_made++] = true;
    atomic_store(&huge->mapped_bytes, bytes);
}

/* fit_to: grown, or cut with a rest that is kept. */
static inline void fit(thread *self, size_t bytes)
{
    size_t mapped = atomic_load(&self->huge->mapped_bytes);
    bool cut = mapped > bytes && !fits(self->huge, bytes);
    if (cut || mapped < bytes) {
        atomic_store(&self->huge->mapped_bytes, bytes);
    }
    use(self, bytes);
    if (cut) {
        self->huge = new_record();
        map(self->huge, mapped - bytes);
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
        self->in_hands =
            atomic_compare_exchange_strong(&world.kept[self->nearest_slot], &seen, NULL);
        self->at = self->in_hands ? TAKE_COUNT : NEW_RECORD;
    } else if (self->at == TAKE_COUNT) {
        atomic_fetch_sub(&world.kept_bytes, atomic_load(&self->huge->mapped_bytes));
        self->at = TAKE_LOOK_AGAIN;
    } else if (wrong == NO_SECOND_LOOK) {
        use(self, bytes);
    } else if (self->at == TAKE_LOOK_AGAIN) {
        self->at = distance(self->huge, bytes) != SIZE_MAX ? CUT : KEEP_ADD;
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

/* After keep in take_kept a new one is mapped, unless it was the rest that was kept; else all is done. */
static inline void let_go(thread *self, job_kind kind)
{
    self->huge = NULL;
    self->in_hands = false;
    if (kind == FREE) {
        self->at = NEXT_JOB;
    } else if (kind == ALLOCATE) {
        self->at = self->in_use != NULL ? NEXT_JOB : NEW_RECORD;
    } else {
        self->slot++;
        self->at = self->slot < KEPT_SLOTS ? PURGE_SLOT : NEXT_JOB;
    }
}

static inline void step_keep(thread *self, job_kind kind)
{
    size_t bytes = atomic_load(&self->huge->mapped_bytes);
    if (self->at == KEEP_ADD) {
        uint64_t before = wrong == COUNTED_AFTER_KEEPING
                              ? atomic_load(&world.kept_bytes)
                              : atomic_fetch_add(&world.kept_bytes, bytes);
        self->keep_slot = 0;
        self->at = before + bytes <= HP_HUGE_KEPT_BYTES ? KEEP_SLOT : KEEP_SUBTRACT;
    } else if (self->at == KEEP_SLOT) {
        hp_huge *empty = NULL;
        if (atomic_compare_exchange_strong(&world.kept[self->keep_slot], &empty, self->huge)) {
            if (wrong == COUNTED_AFTER_KEEPING) {
                atomic_fetch_add(&world.kept_bytes, bytes);
            }
            let_go(self, kind);
        } else if (++self->keep_slot == KEPT_SLOTS) {
            self->at = KEEP_SUBTRACT;
        }
    } else {
        if (wrong != COUNTED_AFTER_KEEPING) {
            atomic_fetch_sub(&world.kept_bytes, bytes);
        }
        self->at = UNMAP;
    }
}

static inline void step_unmap(thread *self, job_kind kind)
{
    if (self->at == UNMAP) {
        if (!world.mapped[(uintptr_t)self->huge->mapping]) {
            world.broken = "a range is unmapped twice";
        }
        world.mapped[(uintptr_t)self->huge->mapping] = false;
        self->at = RECYCLE;
    } else {
        hp_stack_push(&world.spare_records, &self->huge->spare_link);
        let_go(self, kind);
    }
}

static inline void step_purge(thread *self)
{
    if (self->at == PURGE_SLOT) {
        self->huge = atomic_exchange(&world.kept[self->slot], NULL);
        self->in_hands = self->huge != NULL;
        self->at = PURGE_COUNT;
        if (!self->in_hands) {
            let_go(self, PURGE);
        }
    } else {
        atomic_fetch_sub(&world.kept_bytes, atomic_load(&self->huge->mapped_bytes));
        self->at = UNMAP;
    }
}

static inline void begin_job(thread *self, const job *next)
{
    self->slot = 0;
    self->nearest = NULL;
    self->least = SIZE_MAX;
    self->at = next->kind == ALLOCATE ? TAKE_PEEK : next->kind == PURGE ? PURGE_SLOT : KEEP_ADD;
    if (next->kind == FREE) {
        self->huge = self->in_use;
        self->in_hands = true;
        self->in_use = NULL;
    }
}

static inline bool step(unsigned number)
{
    thread *self = &world.threads[number];
    const job *current = &programs[number][self->jobs_done];
    if (self->at == NEXT_JOB) {
        if (current->kind == END) {
            return false;
        }
        begin_job(self, current);
    }
    if (self->at <= CUT) {
        step_take(self, current->bytes);
    } else if (self->at == NEW_RECORD) {
        step_map_new(self, current->bytes);
    } else if (self->at <= KEEP_SUBTRACT) {
        step_keep(self, current->kind);
    } else if (self->at <= RECYCLE) {
        step_unmap(self, current->kind);
    } else {
        step_purge(self);
    }
    self->jobs_done += self->at == NEXT_JOB;
    return true;
}
