/*
 * The steps of a huge mapping that is freed, kept, unmapped or purged; see interleave_huge.h.
 */
#pragma once

#include "interleave_huge.h"

/* After keep in take_kept a new one is mapped, unless it was the rest that was kept; else all is done. */
static inline void let_go(thread *self, job_kind kind)
{
    if (self->other != NULL) {
        self->huge = self->other;
        self->other = NULL;
        self->at = self->then;
        return;
    }
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

/* The other one is dealt with first. */
static inline void turn_to(thread *self, hp_huge *other, line at, line then)
{
    self->other = self->huge;
    self->huge = other;
    self->at = at;
    self->then = then;
}

static inline bool is_beside(const hp_huge *huge, uintptr_t start, uintptr_t end)
{
    return start == end_of(huge) || end == start_of(huge);
}

static inline void join_next_slot(thread *self)
{
    self->slot++;
    self->at = self->slot < KEPT_SLOTS ? JOIN_PEEK : DISCARD;
}

static inline void step_join_look_again(thread *self)
{
    hp_huge *huge = self->huge;
    hp_huge *beside = self->best;
    bool may = wrong == NO_SECOND_LOOK_BESIDE ||
               (is_beside(huge, start_of(beside), end_of(beside)) &&
                is_filled(huge) == is_filled(beside) && huge->origin == beside->origin);
    if (!may) {
        self->best = NULL;
        turn_to(self, beside, KEEP_ADD, JOIN_PEEK);
        self->slot++;
        self->then = self->slot < KEPT_SLOTS ? JOIN_PEEK : DISCARD;
        return;
    }
    huge->mapping = start_of(beside) < start_of(huge) ? beside->mapping : huge->mapping;
    huge->dirty_bytes += beside->dirty_bytes;
    atomic_store(&huge->mapped_bytes, bytes_of(huge) + bytes_of(beside));
    expect_mapped(huge, "mappings became one that do not lie side by side");
    self->at = JOIN_RECYCLE;
}

static inline void step_join(thread *self)
{
    if (self->at == JOIN_PEEK) {
        self->best = atomic_load(&world.kept[self->slot]);
        self->at = JOIN_PEEK_ENDS;
        if (self->best == NULL) {
            join_next_slot(self);
        }
    } else if (self->at == JOIN_PEEK_ENDS) {
        uintptr_t start = atomic_load(&self->best->kept_start);
        self->at = JOIN_SLOT;
        if (!is_beside(self->huge, start, start + bytes_of(self->best) / UNIT_BYTES)) {
            join_next_slot(self);
        }
    } else if (self->at == JOIN_SLOT) {
        hp_huge *seen = self->best;
        self->at = JOIN_COUNT;
        if (!atomic_compare_exchange_strong(&world.kept[self->slot], &seen, NULL)) {
            self->best = NULL;
            join_next_slot(self);
        }
    } else if (self->at == JOIN_COUNT) {
        atomic_fetch_sub(&world.dirty_bytes, self->best->dirty_bytes);
        self->at = JOIN_LOOK_AGAIN;
    } else if (self->at == JOIN_LOOK_AGAIN) {
        step_join_look_again(self);
    } else if (self->at == JOIN_RECYCLE) {
        hp_stack_push(&world.spare_records, &self->best->spare_link);
        self->best = NULL;
        join_next_slot(self);
    } else {
        if (atomic_load(&world.dirty_bytes) + self->huge->dirty_bytes > HP_HUGE_KEPT_BYTES) {
            self->huge->dirty_bytes = 0;
            atomic_store(&self->huge->filled, false);
        }
        self->at = KEEP_ADD;
    }
}

static inline void step_keep(thread *self, job_kind kind)
{
    size_t dirty = self->huge->dirty_bytes;
    if (self->at == KEEP_ADD) {
        uint64_t before = wrong == COUNTED_AFTER_KEEPING
                              ? atomic_load(&world.dirty_bytes)
                              : atomic_fetch_add(&world.dirty_bytes, dirty);
        atomic_store(&self->huge->kept_start, start_of(self->huge));
        self->keep_slot = 0;
        self->at = before + dirty <= HP_HUGE_KEPT_BYTES ? KEEP_SLOT : KEEP_SUBTRACT;
    } else if (self->at == KEEP_SLOT) {
        hp_huge *empty = NULL;
        if (atomic_compare_exchange_strong(&world.kept[self->keep_slot], &empty, self->huge)) {
            if (wrong == COUNTED_AFTER_KEEPING) {
                atomic_fetch_add(&world.dirty_bytes, dirty);
            }
            let_go(self, kind);
        } else if (++self->keep_slot == KEPT_SLOTS) {
            self->at = KEEP_SUBTRACT;
        }
    } else {
        if (wrong != COUNTED_AFTER_KEEPING) {
            atomic_fetch_sub(&world.dirty_bytes, dirty);
        }
        /* One try to make room, and none for what is only put back. */
        self->at = self->evicted || self->other != NULL ? UNMAP : EVICT_PEEK;
        self->keep_slot = 0;
    }
}

static inline void step_evict(thread *self)
{
    if (self->at == EVICT_PEEK) {
        self->best = atomic_load(&world.kept[self->keep_slot]);
        self->at = EVICT_SLOT;
        if (self->best == NULL || is_filled(self->best)) {
            self->best = NULL;
            self->keep_slot++;
            self->at = self->keep_slot < KEPT_SLOTS ? EVICT_PEEK : UNMAP;
        }
    } else if (self->at == EVICT_SLOT) {
        hp_huge *seen = self->best;
        self->evicted = true;
        self->at = EVICT_COUNT;
        if (!atomic_compare_exchange_strong(&world.kept[self->keep_slot], &seen, NULL)) {
            self->best = NULL;
            self->at = KEEP_ADD;
        }
    } else {
        hp_huge *other = self->best;
        self->best = NULL;
        atomic_fetch_sub(&world.dirty_bytes, other->dirty_bytes);
        turn_to(self, other, UNMAP, KEEP_ADD);
    }
}

static inline void step_unmap(thread *self, job_kind kind)
{
    if (self->at == UNMAP) {
        expect_mapped(self->huge, "a range is unmapped twice");
        set_mapped(self->huge, false);
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
        atomic_fetch_sub(&world.dirty_bytes, self->huge->dirty_bytes);
        self->at = UNMAP;
    }
}

static inline void begin_job(thread *self, const job *next)
{
    self->slot = 0;
    self->best = NULL;
    self->evicted = false;
    self->least = SIZE_MAX;
    self->at = next->kind == ALLOCATE ? TAKE_PEEK : next->kind == PURGE ? PURGE_SLOT : JOIN_PEEK;
    if (next->kind == FREE) {
        self->huge = self->in_use;
        self->huge->dirty_bytes = bytes_of(self->huge);
        atomic_store(&self->huge->filled, true);
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
    } else if (self->at <= DISCARD) {
        step_join(self);
    } else if (self->at <= KEEP_SUBTRACT) {
        step_keep(self, current->kind);
    } else if (self->at <= EVICT_COUNT) {
        step_evict(self);
    } else if (self->at <= RECYCLE) {
        step_unmap(self, current->kind);
    } else {
        step_purge(self);
    }
    self->jobs_done += self->at == NEXT_JOB;
    return true;
}
