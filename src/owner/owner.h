/*
 * owner: a claimable set of slabs, with a depot of full lines and an inbox for frees from outside.
 *
 * Owns:        its slabs and their records, its depot, its inbox.
 * Invariants:  (hp_owner_check)
 *   O1  everything below `claim` but the shared words is touched only under the claim.
 *   O2  a class's list holds exactly its slabs with a free slot that are not mixed; at most one of them is wholly free, and
 *       after a free no more than HP_OWNER_EMPTY_BYTES of them are in all.
 *   O3  the depot holds what it says (D1), the lists of mixed slabs what they say (MX2).
 *   O4  owners are never freed; a slab record stays with its owner.
 * Threads:     under the claim, which any thread may try to take.
 * Ordering:    P1 (claim), P16 (watched).
 * Progress:    wait-free.
 * Calls:       slab, inbox, storage.   Used by: thread, front, statistics, retire.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metadata/size_class.h"
#include "owner/pack.h"
#include "owner/slab.h"
#include "platform/claim.h"
#include "platform/crossing.h"
#include "platform/processor.h"

/* Wholly free slabs are kept one per class, and no more than this of all classes. */
#define HP_OWNER_EMPTY_BYTES (512u << 10)

/* So many of a class an owner opens before it looks elsewhere, and leaves to it: with less there is little to gain. */
#define HP_SLABS_OF_ITS_OWN 4u
#define HP_LARGE_SLABS_OF_ITS_OWN 1u /* ... of slots above 8 KiB */

#define HP_CLASS_WORDS ((HP_CLASSES + 63u) / 64u)

/* Of largest holes of 1, 2, 4 .. 4,096 slots. */
#define HP_MIXED_LISTS 13u

typedef struct hp_class_slabs {
    hp_slab *first; /* slabs with a free slot; the first one serves */
    hp_slab *empty; /* the wholly free slab in the list, or NULL */
    hp_slab *
        to_mix; /* where to go on for sparse ones, if it is still in the list; NULL: at the first */
    uint32_t slab_count; /* open slabs, also full ones and mixed ones */
} hp_class_slabs;

typedef struct hp_mixed_list {
    hp_slab *first;
    hp_slab *last;
} hp_mixed_list;

/* A pack as it was seen; it may have been used for other chunks since. */
typedef struct hp_pack_mark {
    const hp_pack *pack;
    const void *chunk; /* its first one */
} hp_pack_mark;

typedef struct hp_depot_marks {
    uint64_t top; /* the stack's word */
    hp_pack_mark middle;
} hp_depot_marks;

/* See retire.h. Of whoever has the purger's role, and under the claim where other parts of it say so. */
typedef struct hp_owner_pass {
    uint32_t began_at_ms;
    bool is_under_way;
    bool found;     /* there is something to come back for */
    bool abandoned; /* in a forked child: claimed by a thread that is not there */
    unsigned place; /* where the pass is: a class, and a list of slabs */
    hp_slab *slab;  /* the next one of the list; NULL: its first */
    hp_depot_marks marks[HP_DEPOT_CLASSES];
    const hp_slab *seen_empty[HP_CLASSES];
} hp_owner_pass;

struct hp_owner {
    HP_LINE_ALIGNED hp_claim claim;
    uint32_t id;                         /* from 1; written before publication */
    struct hp_owner *_Atomic next;       /* shared: P11, list of owners */
    _Atomic uint32_t depot_bound_bytes;  /* shared: relaxed, a bound */
    _Atomic uint64_t depot_bytes;        /* shared: relaxed counter; D1 */
    _Atomic uint32_t single_bound_bytes; /* shared: relaxed, a bound */
    _Atomic uint64_t single_bytes;       /* shared: relaxed counter; SI1 */
    _Atomic uint64_t slab_bytes; /* shared: relaxed, of all open slabs; changes under the claim */
    hp_pack_stack spare_packs;   /* shared: P17; bundles, see depot.h */
    HP_LINE_ALIGNED hp_stack inbox; /* shared: P2, slabs with pending != 0 */
    _Atomic uint64_t inbox_bytes;   /* shared: P16, P19; bytes that wait in the inbox or in taken */
    hp_stack_node *taken;     /* under the claim; slabs out of the inbox that are to be worked in */
    uint64_t taken_bytes;     /* under the claim; of the count when they were taken */
    uint64_t worked_in_bytes; /* under the claim; of taken */
    /* Read with every pack and by frees of others' chunks, and hardly ever written. */
    HP_LINE_ALIGNED _Atomic bool watched; /* shared: P16; the purger comes back to this owner */
    _Atomic uint32_t bound_threads;       /* shared: relaxed counter */
    _Atomic uint32_t processor;           /* shared: relaxed; where its threads run */
    _Atomic uint32_t
        scarce_passes; /* shared: relaxed; so long its depot gets no part of its slabs */
    HP_LINE_ALIGNED hp_pack_stack depot[HP_DEPOT_CLASSES]; /* shared: P17 */
    /* Under the claim. */
    hp_class_slabs classes[HP_CLASSES];
    uint32_t empty_bytes;                    /* of all wholly free slabs */
    uint64_t empty_classes[HP_CLASS_WORDS];  /* bit: the class has one */
    uint16_t mixed_lists[HP_CACHED_CLASSES]; /* see mixed.h; bit n: the class's list n has a slab */
    hp_mixed_list mixed[HP_CACHED_CLASSES][HP_MIXED_LISTS];
    uint32_t class_to_mix;  /* is looked at for sparse slabs */
    uint32_t next_to_close; /* whose turn it is to give up its wholly free slab */
    hp_slab *spare_records[HP_RECORD_CAPACITIES];
    hp_owner_pass pass;
};

/* So many are bound to it, as far as is known. */
HP_INLINE uint32_t hp_owner_threads(const hp_owner *owner)
{
    /* relaxed: a counter for balance */
    return atomic_load_explicit(&owner->bound_threads, memory_order_relaxed);
}

/* With fewer threads than this, of which one may be a main thread that waits, an owner belongs to one of them. */
#define HP_CROWD_THREADS 3u

HP_INLINE bool hp_owner_is_crowded(const hp_owner *owner)
{
    return hp_owner_threads(owner) >= HP_CROWD_THREADS;
}

/* Whether the caller runs where the owner's threads do, as far as is known. */
HP_INLINE bool hp_owner_is_near(const hp_owner *owner)
{
    /* relaxed: a number to go by */
    return atomic_load_explicit(&owner->processor, memory_order_relaxed) == hp_processor();
}

/* As hp_slab_take_groups; NULL when no such eight are at hand. Under the claim. */
char *hp_owner_take_groups(hp_owner *owner, unsigned size_class, unsigned *groups);

/* Up to count chunks of a class, lowest addresses first. 0: out of memory. Under the claim. */
unsigned hp_owner_take(hp_owner *owner, unsigned size_class, unsigned count, void **chunks);

/* One chunk; *zeroed: its bytes are known to be zero. NULL: out of memory. Under the claim. */
void *hp_owner_take_one(hp_owner *owner, unsigned size_class, bool *zeroed);

/* One chunk of the class or a larger one out of the open slabs; NULL: all are full. Under the claim. */
void *hp_owner_take_at_least(hp_owner *owner, unsigned size_class, bool *zeroed);

/* Frees those first ones of the chunks that lie in this owner's slab, as hp_slab_put_run. Under the claim. */
unsigned hp_owner_put_run(hp_owner *owner, hp_slab *slab, void *const *chunks, unsigned count);

/* The same for the bits of a bitmap word; returns those that were free already. Under the claim. */
uint64_t hp_owner_put_word(hp_owner *owner, hp_slab *slab, unsigned word, uint64_t bits);

/* A slab that is wholly free and in no list goes back to the arena. */
void hp_owner_close(hp_owner *owner, hp_slab *slab);

/* The slots of a block become free; false: one was free already. Under the claim. */
bool hp_owner_put_block(hp_owner *owner, hp_slab *slab, uint32_t index);

/* The owner is about to open one more slab for the class than it has in any case. Under the claim. */
HP_INLINE bool hp_owner_is_about_to_grow(const hp_owner *owner, unsigned size_class)
{
    const hp_class_slabs *slabs = &owner->classes[size_class];
    uint32_t own = size_class < HP_CACHED_CLASSES ? HP_SLABS_OF_ITS_OWN : HP_LARGE_SLABS_OF_ITS_OWN;
    return slabs->first == NULL && slabs->slab_count >= own;
}

/* Closes the slab of the class that is noted as wholly free; false when none is. Under the claim. */
bool hp_owner_close_empty(hp_owner *owner, unsigned size_class);

/* Returns the depot's chunks to their slabs and wholly free slabs to the arena. Under the claim. */
void hp_owner_trim(hp_owner *owner);

const char *hp_owner_check(const hp_owner *owner);
