/*
 * owner: a claimable set of slabs, with a depot of full lines and an inbox for frees from outside.
 *
 * Owns:        its slabs and their records, its depot, its inbox.
 * Invariants:  (hp_owner_check)
 *   O1  everything below `claim` but the shared words is touched only under the claim.
 *   O2  a class's list holds exactly its slabs with a free slot; at most one of them is wholly free, and
 *       after a free no more than HP_OWNER_EMPTY_BYTES of them are in all.
 *   O3  the depot holds no more packs per class than hp_depot_has_room let in.
 *   O4  owners are never freed; a slab record stays with its owner.
 * Threads:     any may try to claim any owner. Threads are bound to an owner to keep to it, no more.
 * Ordering:    P1 (claim), P11 (list of owners).
 * Progress:    wait-free: each owner is tried at most once, then a new one is made.
 * Calls:       slab, inbox, storage.   Used by: thread, front, statistics.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metadata/size_class.h"
#include "owner/slab.h"
#include "platform/claim.h"
#include "platform/crossing.h"

#define HP_LINE_CHUNKS 7u

/* Wholly free slabs are kept one per class, and no more than this of all classes. */
#define HP_OWNER_EMPTY_BYTES (512u << 10)

/* A full line that left a thread's cache: seven chunks, and a link where the line has its count. */
typedef struct hp_pack {
    HP_LINE_ALIGNED void *chunks[HP_LINE_CHUNKS];
    struct hp_pack *next;
} hp_pack;

typedef struct hp_class_slabs {
    hp_slab *first;       /* slabs with a free slot; the first one serves */
    uint32_t slab_count;  /* open slabs, also full ones */
    uint32_t empty_count; /* wholly free slabs in the list: 0 or 1 */
} hp_class_slabs;

struct hp_owner {
    HP_LINE_ALIGNED hp_claim claim;
    uint32_t id;                     /* from 1; written before publication */
    struct hp_owner *next;           /* list of owners; written before publication */
    _Atomic uint32_t bound_threads;  /* shared: relaxed counter */
    HP_LINE_ALIGNED hp_stack inbox;  /* shared: P2, slabs with pending != 0 */
    _Atomic uint64_t inbox_bytes;    /* shared: relaxed counter, bytes that wait in the inbox */
    /* Under the claim. */
    HP_LINE_ALIGNED hp_pack *depot[HP_SMALL_CLASSES];
    uint32_t depot_count[HP_SMALL_CLASSES];
    hp_class_slabs classes[HP_CLASSES];
    uint32_t empty_bytes; /* of all wholly free slabs */
    hp_pack *spare_packs;
    hp_slab *spare_records[HP_RECORD_CAPACITIES];
};

#define HP_OWNER_ID_MAX 0xfffeu

/* First owner of the list or NULL; go on with ->next. */
hp_owner *hp_owner_first(void);

/* The owner with the fewest threads, or a new one while there are fewer than 4 per usable processor. */
hp_owner *hp_owner_bind(void);
void hp_owner_unbind(hp_owner *owner);

/* After a fork the child has one thread: the others' ties to their owners are gone. */
void hp_owner_keep_only(hp_owner *bound);

/* A claimed owner: the preferred one (may be NULL), else any other, else a new one. NULL: no memory. */
hp_owner *hp_owner_claim_any(hp_owner *preferred);

/* As hp_slab_take_groups; NULL when no such eight are at hand. Under the claim. */
char *hp_owner_take_groups(hp_owner *owner, unsigned size_class, unsigned *groups);

/* Up to count chunks of a class, lowest addresses first. 0: out of memory. Under the claim. */
unsigned hp_owner_take(hp_owner *owner, unsigned size_class, unsigned count, void **chunks);

/* One chunk; *zeroed: its bytes are known to be zero. NULL: out of memory. Under the claim. */
void *hp_owner_take_one(hp_owner *owner, unsigned size_class, bool *zeroed);

/*
 * One chunk of the class or a larger one out of any owner's open slabs, without asking the arena: what is
 * left when the system refuses. NULL: every slab that can be claimed is full.
 */
HP_COLD void *hp_owner_scrape(unsigned size_class, bool *zeroed);

/* A slot of this owner's slab becomes free. False when it was free already. Under the claim. */
bool hp_owner_put(hp_owner *owner, hp_slab *slab, unsigned index);

/* The same for the bits of a bitmap word; returns those that were free already. Under the claim. */
uint64_t hp_owner_put_word(hp_owner *owner, hp_slab *slab, unsigned word, uint64_t bits);

/* Works through the inbox. Under the claim. */
void hp_owner_drain(hp_owner *owner);

/* Returns the depot's chunks to their slabs and wholly free slabs to the arena. Under the claim. */
void hp_owner_trim(hp_owner *owner);

/* Drains and trims every owner that can be claimed. */
void hp_owner_trim_all(void);

const char *hp_owner_check(const hp_owner *owner);
