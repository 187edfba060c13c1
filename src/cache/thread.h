/*
 * thread: what one thread keeps for itself: a line of seven chunks per cached class, and an outbox.
 *
 * A line is the top chunk, six more, and how far it is filled. Both ends of malloc's and free's fast
 * paths work on one line and nothing else. The record is two pages at most, line by line on demand.
 *
 * Owns:        the lines, the outbox. Records are parked at thread exit and never unmapped.
 * Invariants:  (hp_thread_check)
 *   T1  a line holds filled - hp_line_empty(class) chunks: chunks[0] on top, the others from
 *       chunks[filled + 7] down.
 *   T2  a line holds chunks of its class only, of any owner, and blocks of mixed slabs that are as large.
 *   T3  a thread without a record points at a static one whose lines are empty and whose tag matches no
 *       entry of the hot map: neither fast path ever writes to it.
 *   T4  a reserve's chunks are neighbours of one bitmap word, at most HP_RESERVE_BYTES of them.
 * Threads:     the thread itself; a parked record by nobody.
 * Ordering:    P2 (parked records), P12 (list of all records).
 * Progress:    wait-free; birth and exit are lock-free.
 * Calls:       owner, depot, outbox, storage.   Used by: front.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metadata/address_map.h"
#include "metadata/size_class.h"
#include "owner/depot.h"
#include "owner/owner.h"
#include "owner/singles.h"
#include "platform/compiler.h"
#include "platform/crossing.h"
#include "platform/processor.h"

/*
 * filled counts up from -8 (empty) to -1 (seven chunks), so that one more than -1 is zero: full. A line of
 * a medium class holds fewer chunks, so its filled starts higher.
 */
#define HP_LINE_EMPTY (-8)
#define HP_LINE_FULL (-1)

typedef struct hp_line {
    void *chunks[HP_LINE_CHUNKS];
    int64_t filled;
} hp_line;

_Static_assert(sizeof(hp_line) == HP_LINE_BYTES, "a line is one cache line");

/* What a thread may set aside of a class, so that a refill needs no claim: at most one bitmap word. */
#define HP_RESERVE_BYTES 8192u

/* Frees of other owners' chunks: how many words at once, and how many bytes before some are posted. */
#define HP_OUTBOX_PLACES 64u
#define HP_OUTBOX_BYTES 65536
#define HP_OUTBOX_STEP_BYTES (HP_OUTBOX_BYTES / 8) /* so many fewer when it was full */

/* Chunks of smaller classes than this lie with others in one cache line. */
#define HP_KEPT_LEAST_CLASS (HP_CACHE_LINE_BYTES / HP_SMALL_STEP_BYTES - 1)

typedef struct hp_thread {
    HP_LINE_ALIGNED uint64_t tag; /* of the owner, as in the hot map */
    hp_owner *owner;
    struct hp_thread *next; /* list of all records; written before publication */
    hp_stack_node parked_link;
    int64_t outbox_room; /* bytes that may be added before some of them are posted */
    uint32_t busy_count; /* how often the owner could not be claimed since the last binding */
    uint32_t away_count; /* refills on other processors than the owner's since */
    hp_singles_room singles;
    HP_LINE_ALIGNED hp_line lines[HP_CACHED_CLASSES];
    HP_LINE_ALIGNED hp_depot_hand hand;                  /* for the owner's depot */
    HP_LINE_ALIGNED uint64_t reserves[HP_SMALL_CLASSES]; /* see refill.h */
    uint8_t refill_chunks[HP_CACHED_CLASSES];            /* how many the next refill takes */
    uint8_t outbox_cursor; /* the place that was posted last in its turn */
    HP_LINE_ALIGNED uint64_t outbox_keys[HP_OUTBOX_PLACES]; /* see outbox.h; 0: an unused place */
    HP_LINE_ALIGNED uint64_t outbox_bits[HP_OUTBOX_PLACES];
} hp_thread;

_Static_assert(offsetof(hp_thread, lines) == HP_LINES_OFFSET_BYTES, "free adds this offset");

/* filled of an empty line of the class. */
HP_INLINE int64_t hp_line_empty(unsigned size_class)
{
    return size_class < HP_SMALL_CLASSES
               ? HP_LINE_EMPTY
               : HP_LINE_FULL - (int64_t)hp_medium_line_chunks(size_class);
}

extern _Thread_local hp_thread *hp_self HP_INITIAL_EXEC;

/*
 * Whether a thread of the owner may use others' chunks of the class again whose line is there. The smallest go home,
 * since others work on what lies beside them in the same cache line; but not those of a crowd, which shares cache lines
 * anyway. 0 is no line's: the hot map knows no slab there, as for every pointer below the first grain.
 */
HP_INLINE bool hp_owner_may_keep(const hp_owner *owner, uint64_t line_offset)
{
    return HP_LIKELY(line_offset >= hp_line_offset(HP_KEPT_LEAST_CLASS)) ||
           (line_offset != 0 && hp_owner_is_crowded(owner));
}

/* The caller's record, made now if its probation is over; NULL when it has none. Slow paths call it. */
hp_thread *hp_thread_enter(void);

/* No thread that starts from now on gets a cache: every free is checked at once. */
void hp_thread_set_caches(bool wanted);

/* malloc of a small class whose line is empty. NULL: out of memory. */
void *hp_thread_refill(hp_thread *self, unsigned size_class);

/* The same when the depot and the reserve have none either. */
void *hp_thread_refill_from_slabs(hp_thread *self, unsigned size_class);

/* free into a line of a small class that is full. */
void hp_thread_spill(hp_thread *self, unsigned size_class, void *chunk);

/* What the hand has too much goes back; returns the chunk, for who has nothing else to do. */
void *hp_thread_ease(hp_thread *self, void *chunk);

/*
 * The caller's owner, claimed, or another one: then its own was claimed by somebody else. NULL: no memory. This may
 * bind the caller to another owner: see hp_thread_note_busy.
 */
hp_owner *hp_thread_claim(hp_thread *self, unsigned size_class);

/* Chunks leave the cache: into their slabs under the claim of the owner, else (NULL) as notes. */
void hp_thread_return(hp_thread *self, hp_owner *claimed, void *const *chunks, unsigned count);

/* malloc of a medium class whose line is empty, free into one that is full. NULL: out of memory. */
void *hp_thread_refill_medium(hp_thread *self, unsigned size_class);
void hp_thread_spill_medium(hp_thread *self, unsigned size_class, void *chunk);

/* The chunk goes into a full line, of which all or the oldest go to the depot. False: that has no room. */
bool hp_thread_pack(hp_thread *self, unsigned size_class, void *chunk);
bool hp_thread_pack_medium(hp_thread *self, unsigned size_class, void *chunk);

/* free of a slot of another owner's slab that the hot map knows: of a cached class, and one slot long. */
void hp_thread_free_other(hp_thread *self, hp_slab *slab, unsigned index);

/* free of a slot of a slab, whosever it is; self may be NULL. */
void hp_thread_free_slot(hp_thread *self, hp_slab *slab, unsigned index);

/*
 * One chunk without a cache, at a multiple of align_bytes as the class's size is one; *zeroed as hp_slab_take. NULL:
 * out of memory.
 */
void *hp_thread_take_slot(hp_thread *self, unsigned size_class, size_t align_bytes, bool *zeroed);

/* Returns all that the caller's record holds. */
void hp_thread_flush(hp_thread *self);

/*
 * The caller's owner was claimed by somebody else. In a forked child that may be for ever: when it has
 * happened often there and is so now, the caller is bound to another one.
 */
void hp_thread_note_busy(hp_thread *self);

/* Binds the caller to another owner if its own is claimed at this moment. */
void hp_thread_rebind(hp_thread *self);

/* The caller refills a line on another processor than its owner's: see hp_owners_follow. */
void hp_thread_note_away(hp_thread *self, uint32_t processor);

/* The caller refills a line. */
HP_INLINE void hp_thread_look_around(hp_thread *self)
{
    if (HP_UNLIKELY(!hp_owner_is_near(self->owner))) {
        hp_thread_note_away(self, hp_processor());
    }
}

/* In a forked child: what another thread was about to do for all will not be done. */
void hp_threads_after_fork(void);

/* First record of the list or NULL; go on with ->next. For observers. */
hp_thread *hp_thread_first(void);

const char *hp_thread_check(const hp_thread *self);

/*
 * The top chunk of a line that is filled so far, which is not HP_LINE_EMPTY. The count comes first: at no moment is a
 * chunk in the line twice, since a signal handler may end the process here, and may allocate for its last words.
 */
HP_INLINE void *hp_line_take(hp_line *line, int64_t filled)
{
    void *top = line->chunks[0];
    HP_IN_RESULT_REGISTER(top);
    void *next = line->chunks[filled + (int64_t)HP_LINE_CHUNKS];
    line->filled = filled - 1;
    HP_SIGNAL_BARRIER_IN(*line);
    line->chunks[0] = next;
    return top;
}

/* False when the line is full. */
HP_INLINE bool hp_line_push(hp_line *line, void *chunk)
{
    int64_t filled = line->filled + 1;
    if (HP_UNLIKELY(filled == 0)) {
        return false;
    }
    HP_OPAQUE(filled); /* else gcc keeps the old count in a register beside the new one */
    line->chunks[filled + (int64_t)HP_LINE_CHUNKS] = line->chunks[0];
    line->chunks[0] = chunk;
    HP_SIGNAL_BARRIER_IN(*line);
    line->filled = filled;
    return true;
}
