/*
 * The steps of the inbox, as rows of one world: two threads that free slots of the same bitmap word, one
 * that drains and frees, and a slab whose record serves another chunk as soon as its slots are back.
 *
 * hp_inbox_post, hp_inbox_drain_some and what it calls cannot be called in parts, so they are mirrored here line
 * by line, with the names of src/owner/inbox.c, on the real types; hp_stack_push likewise, from
 * ck_stack_push_upmc. The claim, hp_stack_take_all and hp_stack_next are the real ones. What puts slots
 * back into slabs is a set of bits here.
 */
#pragma once

#include <string.h>

#include "owner/inbox.h"

enum { SLABS = 2, WORDS = 2, THREADS = 3, PROGRAM = 4 };

/* What a thread does next. The names say which line of inbox.c it is about to run. */
typedef enum line {
    NEXT_JOB,
    POST_REMOTE,
    POST_PENDING,
    PUSH_LOAD_HEAD,
    PUSH_SWAP_HEAD,
    POST_COUNT_BYTES,
    TRY_CLAIM,
    DRAIN_READ_BYTES,
    DRAIN_TAKE_ALL,
    DRAIN_READ_LINK,
    DRAIN_PENDING,
    DRAIN_REMOTE,
    DRAIN_TAKE_BYTES_BACK,
    RELEASE
} line;

typedef enum job_kind { END, FREE, DRAIN, FREE_IN_SECOND_LIFE } job_kind;

typedef struct job {
    job_kind kind;
    uint8_t slab, word;
    uint64_t bits;
} job;

static const job programs[THREADS][PROGRAM] = {
    {{FREE, 0, 0, 1}, {FREE, 1, 1, 1}},
    {{FREE, 0, 0, 2}, {FREE, 1, 0, 1}},
    {{DRAIN, 0, 0, 0}, {FREE_IN_SECOND_LIFE, 0, 0, 1}, {DRAIN, 0, 0, 0}},
};
static const uint64_t slots[SLABS][WORDS] = {{3, 0}, {1, 1}};

typedef union record {
    hp_slab slab;
    char room[sizeof(hp_slab) + WORDS * sizeof(uint64_t)];
} record;

typedef struct thread {
    line at;
    unsigned jobs_done;
    hp_slab *slab;       /* the one that is posted or drained */
    hp_stack_node *link; /* what is left of what was taken */
    hp_stack_node *head; /* as the push saw it */
    uint64_t pending;
    bool pushes;     /* pending was 0: it owes the push */
    bool drains_all; /* not one slab only */
} thread;

typedef struct inbox_world {
    hp_claim claim;
    hp_stack inbox;
    _Atomic uint64_t inbox_bytes;
    hp_stack_node *taken; /* under the claim; nothing while a drain has it in hand */
    uint64_t taken_bytes; /* under the claim */
    record records[SLABS];
    uint64_t out[SLABS][WORDS];   /* slots that are not back in their slab */
    uint64_t noted[SLABS][WORDS]; /* remote bits that were set and not consumed */
    unsigned lives[SLABS];        /* how often all slots were back */
    thread threads[THREADS];
    const char *broken;
} inbox_world;

static inbox_world world;

/* Each of these is wrong on purpose. */
typedef enum mutation {
    NONE,
    LINK_READ_AFTER_PENDING,
    PUSHED_WHEN_PENDING,
    PENDING_SET_BEFORE_REMOTE,
    PENDING_CLEARED_AFTER_REMOTE,
    BYTES_READ_AFTER_TAKING,
    BYTES_TAKEN_BACK_EARLY
} mutation;
static mutation wrong;

static inline hp_slab *slab_number(unsigned number)
{
    return &world.records[number].slab;
}

static inline unsigned number_of(const hp_slab *slab)
{
    return (unsigned)((const record *)(const void *)slab - world.records);
}

static inline hp_slab *slab_of_link(hp_stack_node *link)
{
    return (hp_slab *)(void *)((char *)link - offsetof(hp_slab, inbox_link));
}

/* hp_owner_put_word, and the slab's end and next beginning when all of its slots are back. */
static inline void put_word(hp_slab *slab, unsigned word, uint64_t bits)
{
    unsigned number = number_of(slab);
    if ((bits & ~world.noted[number][word]) != 0) {
        world.broken = "I2: a bit was consumed twice";
    }
    world.noted[number][word] &= ~bits;
    world.out[number][word] &= ~bits;
    if (world.out[number][0] + world.out[number][1] == 0) {
        world.lives[number]++;
        memcpy(world.out[number], slots[number], sizeof slots[number]);
    }
}

/* ---- hp_inbox_post ---- */

static inline void begin_job(thread *self, const job *next)
{
    self->slab = slab_number(next->slab);
    self->pushes = false;
    self->drains_all = false;
    self->at = next->kind == DRAIN                  ? TRY_CLAIM
               : wrong == PENDING_SET_BEFORE_REMOTE ? POST_PENDING
                                                    : POST_REMOTE;
}

static inline line after_pending(const thread *self)
{
    return self->pushes ? PUSH_LOAD_HEAD : POST_COUNT_BYTES;
}

static inline void step_post(thread *self, const job *note)
{
    hp_slab *slab = self->slab;
    if (self->at == POST_REMOTE) {
        atomic_fetch_or(&slab->remote[note->word], note->bits);
        world.noted[note->slab][note->word] |= note->bits;
        self->at = wrong == PENDING_SET_BEFORE_REMOTE ? after_pending(self) : POST_PENDING;
    } else if (self->at == POST_PENDING) {
        uint64_t pending = atomic_fetch_or(&slab->pending, (uint64_t)1 << note->word);
        self->pushes = pending == 0 || wrong == PUSHED_WHEN_PENDING;
        self->at = wrong == PENDING_SET_BEFORE_REMOTE ? POST_REMOTE : after_pending(self);
    } else if (self->at == PUSH_LOAD_HEAD) {
        self->head = world.inbox.head;
        slab->inbox_link.next = self->head;
        self->at = PUSH_SWAP_HEAD;
    } else if (self->at == PUSH_SWAP_HEAD) {
        self->at = world.inbox.head == self->head ? POST_COUNT_BYTES : PUSH_LOAD_HEAD;
        if (self->at == POST_COUNT_BYTES) {
            world.inbox.head = &slab->inbox_link;
            self->pushes = false;
        }
    } else {
        uint64_t bytes = HP_INBOX_LIMIT_BYTES / 2; /* a slot: three of them pass the limit */
        uint64_t waiting = atomic_fetch_add(&world.inbox_bytes, bytes) + bytes;
        self->at = waiting > HP_INBOX_LIMIT_BYTES ? TRY_CLAIM : NEXT_JOB;
    }
}

/* ---- hp_inbox_drain_some, take_all, work_in and drain_slab, under the claim ---- */

/* The slab is worked in: another one, or what is left waits. */
static inline line after_slab(thread *self)
{
    if (self->link == NULL) {
        return DRAIN_TAKE_BYTES_BACK;
    }
    if (self->drains_all) {
        return DRAIN_READ_LINK;
    }
    world.taken = self->link;
    return wrong == BYTES_TAKEN_BACK_EARLY ? DRAIN_TAKE_BYTES_BACK : RELEASE;
}

static inline line begin_drain(thread *self)
{
    self->link = world.taken;
    world.taken = NULL;
    return self->link != NULL                 ? DRAIN_READ_LINK
           : wrong == BYTES_READ_AFTER_TAKING ? DRAIN_TAKE_ALL
                                              : DRAIN_READ_BYTES;
}

static inline void step_take(thread *self)
{
    bool bytes_first = wrong != BYTES_READ_AFTER_TAKING;
    if (self->at == DRAIN_READ_BYTES) {
        world.taken_bytes = atomic_load(&world.inbox_bytes);
        if (bytes_first) {
            self->at = DRAIN_TAKE_ALL;
            return;
        }
    } else {
        self->link = hp_stack_take_all(&world.inbox);
        if (!bytes_first) {
            self->at = DRAIN_READ_BYTES;
            return;
        }
    }
    self->at = self->link == NULL ? DRAIN_TAKE_BYTES_BACK : DRAIN_READ_LINK;
}

static inline void step_drain(thread *self)
{
    if (self->at == TRY_CLAIM) {
        self->at = hp_claim_try(&world.claim) ? begin_drain(self) : NEXT_JOB;
    } else if (self->at == DRAIN_READ_BYTES || self->at == DRAIN_TAKE_ALL) {
        step_take(self);
    } else if (self->at == DRAIN_READ_LINK) {
        if (wrong != LINK_READ_AFTER_PENDING) {
            self->slab = slab_of_link(self->link);
            self->link = hp_stack_next(self->link);
        }
        self->at = DRAIN_PENDING;
    } else if (self->at == DRAIN_PENDING) {
        if (wrong == LINK_READ_AFTER_PENDING) {
            self->slab = slab_of_link(self->link);
        }
        bool later = wrong == PENDING_CLEARED_AFTER_REMOTE;
        self->pending =
            later ? atomic_load(&self->slab->pending) : atomic_exchange(&self->slab->pending, 0);
        self->at = DRAIN_REMOTE;
    } else if (self->at == DRAIN_REMOTE && self->pending != 0) {
        unsigned word = hp_lowest_bit(self->pending);
        self->pending &= self->pending - 1;
        uint64_t bits = atomic_exchange(&self->slab->remote[word], 0);
        put_word(self->slab, word, bits);
    } else if (self->at == DRAIN_REMOTE) {
        if (wrong == LINK_READ_AFTER_PENDING) {
            self->link = hp_stack_next(self->link);
        }
        if (wrong == PENDING_CLEARED_AFTER_REMOTE) {
            atomic_store(&self->slab->pending, 0);
        }
        self->at = after_slab(self);
    } else if (self->at == DRAIN_TAKE_BYTES_BACK) {
        atomic_fetch_sub(&world.inbox_bytes, world.taken_bytes);
        world.taken_bytes = 0;
        self->at = RELEASE;
    } else {
        hp_claim_release(&world.claim);
        self->at = NEXT_JOB;
    }
}

static inline bool step(unsigned number)
{
    thread *self = &world.threads[number];
    const job *current = &programs[number][self->jobs_done];
    if (self->at == NEXT_JOB) {
        if (current->kind == END || (current->kind == FREE_IN_SECOND_LIFE && world.lives[0] == 0)) {
            return false;
        }
        begin_job(self, current);
    }
    if (self->at <= POST_COUNT_BYTES) {
        step_post(self, current);
    } else {
        step_drain(self);
    }
    self->jobs_done += self->at == NEXT_JOB;
    return true;
}
