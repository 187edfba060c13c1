#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/thread.h"
#include "metadata/storage.h"
#include "owner/owners.h"

/*
 * A thread without a record points at a static one, made of units that read as an empty line and as the header of a
 * record without an owner alike.
 *
 * Probation is for threads that do little: they never get a cache, so they leave nothing behind when
 * they end. It is also for those that allocate for the first time in the last round of the destructors
 * of their exit: a record that is made then would never be heard of again.
 */
typedef struct empty_unit {
    uint64_t no_owner_tag; /* as a header: matches no entry of the hot map. as a line: no chunk */
    uint64_t nothing[6];   /* as a header: no owner */
    int64_t filled;        /* as a line: empty */
} empty_unit;

_Static_assert(sizeof(empty_unit) == sizeof(hp_line), "a unit reads as a line");
_Static_assert(offsetof(empty_unit, filled) == offsetof(hp_line, filled), "a unit reads as empty");
_Static_assert(offsetof(hp_thread, tag) == 0, "a unit reads as a header");
_Static_assert(offsetof(hp_thread, owner) < offsetof(empty_unit, filled), "a unit has no owner");

#define BUSY_LIMIT 64u

/* After so many refills on another processor than its owner's a thread has moved there. */
#define AWAY_LIMIT 64u

#define RECORD_UNITS (sizeof(hp_thread) / sizeof(empty_unit))

static _Alignas(64) const empty_unit no_record[RECORD_UNITS] = {
    [0 ... RECORD_UNITS - 1] = {.no_owner_tag = UINT64_MAX, .filled = HP_LINE_EMPTY}};

_Static_assert(sizeof no_record == sizeof(hp_thread), "the static record is a whole one");

/* Nobody writes through it while it points at the static record: see T3. */
_Thread_local hp_thread *hp_self HP_INITIAL_EXEC = (hp_thread *)(uintptr_t)no_record;

/* How far a thread without a record is. */
#define PROBATION_STEPS 256u       /* slow operations; the next one makes it a record */
#define DEAD (PROBATION_STEPS + 1) /* its exit has begun */
static _Thread_local uint32_t steps HP_INITIAL_EXEC;

static void part_from_record(uint32_t at_step)
{
    hp_self = (hp_thread *)(uintptr_t)no_record;
    steps = at_step;
}

static hp_stack parked;                 /* shared: P2 */
static hp_thread *_Atomic first_thread; /* shared: P12 */
static _Atomic bool is_forked_child;    /* shared: relaxed, set after a fork */
static _Atomic bool caches_disabled;    /* shared: relaxed, set once from the options */

typedef enum key_state { KEY_ABSENT, KEY_BEING_MADE, KEY_READY, KEY_REFUSED } key_state;
static _Atomic uint32_t exit_key_state; /* shared: P13 */
static pthread_key_t exit_key;          /* written by the thread that makes it, before KEY_READY */

hp_thread *hp_thread_first(void)
{
    /* acquire: P12, pairs with new_record */
    return atomic_load_explicit(&first_thread, memory_order_acquire);
}

void hp_thread_set_caches(bool wanted)
{
    /* relaxed: set before there is a second thread */
    atomic_store_explicit(&caches_disabled, !wanted, memory_order_relaxed);
}

/* The thread goes on at the step without its record, which waits for another thread. */
static void part_from(hp_thread *self, uint32_t at_step)
{
    part_from_record(at_step);
    hp_thread_flush(self);
    hp_owners_unbind(self->owner);
    hp_stack_push(&parked, &self->parked_link);
}

/* The destructor of the key. Frees that come later in the thread's exit go by without a cache. */
static void leave(void *record)
{
    part_from(record, DEAD);
}

/* True when this thread's exit will be heard of. */
static bool announce_exit(hp_thread *self)
{
    /* acquire: P13, pairs with the store of KEY_READY */
    uint32_t state = atomic_load_explicit(&exit_key_state, memory_order_acquire);
    if (state == KEY_ABSENT) {
        /* acquire: P13. relaxed on failure: another thread makes the key */
        if (!atomic_compare_exchange_strong_explicit(&exit_key_state, &state, KEY_BEING_MADE,
                                                     memory_order_acquire, memory_order_relaxed)) {
            return false;
        }
        state = pthread_key_create(&exit_key, leave) == 0 ? KEY_READY : KEY_REFUSED;
        /* release: P13, pairs with the load above */
        atomic_store_explicit(&exit_key_state, state, memory_order_release);
    }
    /* pthread_setspecific may allocate: hp_self is this record by then, so that is an ordinary malloc. */
    return state == KEY_READY && pthread_setspecific(exit_key, self) == 0;
}

static hp_thread *new_record(void)
{
    hp_stack_node *node = hp_stack_pop(&parked);
    if (node != NULL) {
        return (hp_thread *)(void *)((char *)node - offsetof(hp_thread, parked_link));
    }
    hp_thread *record = hp_storage_take(sizeof *record);
    if (record == NULL) {
        return NULL;
    }
    for (unsigned size_class = 0; size_class < HP_CACHED_CLASSES; size_class++) {
        record->lines[size_class].filled = hp_line_empty(size_class);
    }
    record->next = hp_thread_first();
    /* release: P12, pairs with hp_thread_first. acquire on failure: P12, the next try links behind it */
    while (!atomic_compare_exchange_weak_explicit(&first_thread, &record->next, record,
                                                  memory_order_release, memory_order_acquire)) {
    }
    return record;
}

static HP_SLOW hp_thread *be_born(void)
{
    /* Should anything below allocate, that call starts over and does not come back here. */
    part_from_record(0);
    hp_thread *self = new_record();
    if (self == NULL) {
        return NULL;
    }
    self->owner = hp_owners_bind();
    if (self->owner == NULL) {
        hp_stack_push(&parked, &self->parked_link);
        return NULL;
    }
    self->tag = hp_owner_tag(self->owner->id);
    self->away_count = 0;
    self->outbox_room = HP_OUTBOX_BYTES;
    for (unsigned size_class = 0; size_class < HP_CACHED_CLASSES; size_class++) {
        self->refill_chunks[size_class] = 1;
    }
    hp_self = self;
    if (!announce_exit(self)) {
        /* Nobody would hear of this thread's exit: it goes without a cache this time. */
        part_from(self, 0);
        return NULL;
    }
    return self;
}

/*
 * From the owner to another one that counts the thread already; NULL: the thread stays. What it holds of the owner's
 * depot goes back there; its lines and reserves come along.
 */
static void change_owner(hp_thread *self, hp_owner *bound)
{
    if (bound != NULL) {
        hp_depot_empty_hand(self->owner, &self->hand);
        hp_singles_empty_room(self->owner, &self->singles);
        hp_owners_unbind(self->owner);
        self->owner = bound;
        self->tag = hp_owner_tag(bound->id);
    }
}

void hp_thread_rebind(hp_thread *self)
{
    if (hp_claim_is_taken(&self->owner->claim)) {
        hp_thread_flush(self);
        change_owner(self, hp_owners_bind_to_any());
    }
}

/*
 * Where several threads share an owner and run on several processors, its packs and their chunks would go from one
 * processor's cache to the other's.
 */
HP_SLOW void hp_thread_note_away(hp_thread *self, uint32_t processor)
{
    if (++self->away_count < AWAY_LIMIT) {
        return;
    }
    self->away_count = 0;
    change_owner(self, hp_owners_follow(self->owner, processor));
}

void hp_thread_note_busy(hp_thread *self)
{
    /* relaxed: set when there is one thread. Elsewhere a claim is released again, and a thread that
       changed its owner for another would only spread its sizes over both. */
    if (!atomic_load_explicit(&is_forked_child, memory_order_relaxed)) {
        return;
    }
    if (++self->busy_count >= BUSY_LIMIT) {
        self->busy_count = 0;
        hp_thread_rebind(self);
    }
}

void hp_threads_after_fork(void)
{
    uint32_t being_made = KEY_BEING_MADE;
    /* relaxed: there is one thread */
    atomic_store_explicit(&is_forked_child, true, memory_order_relaxed);
    /* relaxed: as above */
    atomic_compare_exchange_strong_explicit(&exit_key_state, &being_made, KEY_ABSENT,
                                            memory_order_relaxed, memory_order_relaxed);
}

hp_thread *hp_thread_enter(void)
{
    hp_thread *self = hp_self;
    if (HP_LIKELY(self->owner != NULL)) {
        return self;
    }
    /* relaxed: set before there is a second thread */
    if (steps == DEAD || atomic_load_explicit(&caches_disabled, memory_order_relaxed)) {
        return NULL;
    }
    if (steps == PROBATION_STEPS) {
        return be_born();
    }
    steps++;
    return NULL;
}
