#include "owner/owners.h"

#include <stdatomic.h>

#include "metadata/storage.h"
#include "owner/depot.h"
#include "owner/inbox.h"
#include "owner/retire.h"
#include "owner/singles.h"
#include "platform/processor.h"
#include "platform/system.h"

/* No more threads than that work at a time, and each owner has slabs of its own in every class. */
#define OWNERS_PER_PROCESSOR 1u

/* How often one is looked for that is open before a new one is made. */
#define LEAST_ROUNDS 2u
#define LEAST_LOOKS 32u

/* How many owners are asked for an open slab before one is opened. */
#define SERVING_LOOKS 64u

/* For how many passes of the purger memory counts as scarce after all of it was wanted back. */
#define SCARCE_PASSES 2u

/* With so many slabs that have free slots of a class an owner has more than its threads are about to use. */
#define SPARE_SLABS 32u

static hp_owner *_Atomic first_owner; /* shared: P11 */
static _Atomic uint32_t owner_count;  /* shared: relaxed counter; numbers given out */

hp_owner *hp_owners_first(void)
{
    /* acquire: P11, pairs with append */
    return atomic_load_explicit(&first_owner, memory_order_acquire);
}

/* Until the system was asked there is one processor as far as we know. Shared: relaxed, a number that
   depends on nothing. */
static _Atomic uint32_t usable_processors = 1;

void hp_owners_count_processors(void)
{
    /* relaxed: see above */
    atomic_store_explicit(&usable_processors, hp_usable_processors(), memory_order_relaxed);
}

uint32_t hp_owners_to_bind(void)
{
    /* relaxed: a number that depends on nothing */
    return OWNERS_PER_PROCESSOR * atomic_load_explicit(&usable_processors, memory_order_relaxed);
}

bool hp_owners_may_add(void)
{
    /* relaxed: a soft limit */
    return atomic_load_explicit(&owner_count, memory_order_relaxed) < hp_owners_to_bind();
}

/* Of singles, only owners that threads are bound to have any. */
static uint32_t single_share_bytes(uint32_t owners)
{
    uint32_t most = hp_owners_to_bind();
    return hp_singles_share_bytes(owners < most ? owners : most);
}

static void set_shares(hp_owner *owner, uint32_t owners)
{
    /* relaxed: bounds for what comes from now on */
    atomic_store_explicit(&owner->depot_bound_bytes, hp_depot_share_bytes(owners),
                          memory_order_relaxed);
    /* relaxed: as above */
    atomic_store_explicit(&owner->single_bound_bytes, single_share_bytes(owners),
                          memory_order_relaxed);
}

/*
 * Each owner has its share of what depots may hold; a late store of a smaller number of owners does no harm. Where the
 * shares are the least that an owner gets they stay the same for all.
 */
static void share_depots(hp_owner *added, uint32_t owners)
{
    set_shares(added, owners);
    if (owners > 1 && hp_depot_share_bytes(owners) == hp_depot_share_bytes(owners - 1) &&
        single_share_bytes(owners) == single_share_bytes(owners - 1)) {
        return;
    }
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        set_shares(owner, owners);
    }
}

/* The oldest come first: who looks for any owner keeps to few, and those that a crowd made are left to empty. */
static void append(hp_owner *owner)
{
    hp_owner *_Atomic *end = &first_owner;
    hp_owner *listed = NULL;
    /* release: P11, pairs with hp_owners_first and hp_owners_next. acquire on failure: P11, what is listed there
       is followed */
    while (!atomic_compare_exchange_strong_explicit(end, &listed, owner, memory_order_release,
                                                    memory_order_acquire)) {
        end = &listed->next;
        listed = NULL;
    }
}

hp_owner *hp_owners_add(uint32_t threads)
{
    hp_owner *owner = hp_storage_take(sizeof *owner);
    if (owner == NULL) {
        return NULL;
    }
    /* relaxed: only a number is taken */
    uint32_t number = atomic_fetch_add_explicit(&owner_count, 1, memory_order_relaxed);
    if (number >= HP_OWNER_ID_MAX) {
        return NULL;
    }
    owner->id = number + 1;
    /* relaxed: a number to go by */
    atomic_store_explicit(&owner->processor, hp_processor(), memory_order_relaxed);
    /* relaxed: published with the owner */
    atomic_store_explicit(&owner->bound_threads, threads, memory_order_relaxed);
    if (!hp_claim_try(&owner->claim)) {
        return NULL;
    }
    append(owner);
    share_depots(owner, number + 1);
    return owner;
}

/* Where one of many will do: a claim that is taken is not written to. */
static bool claim_if_open(hp_owner *owner)
{
    return !hp_claim_is_taken(&owner->claim) && hp_claim_try(&owner->claim);
}

hp_owner *hp_owners_claim_any(hp_owner *preferred)
{
    if (preferred != NULL && HP_LIKELY(hp_claim_try(&preferred->claim))) {
        return preferred;
    }
    /* Since owners stay for ever, and what was taken a moment ago is mostly open by now. */
    unsigned looks = 0;
    for (unsigned round = 0; round < LEAST_ROUNDS || looks < LEAST_LOOKS; round++) {
        for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
            if (claim_if_open(owner)) {
                return owner;
            }
            looks++;
        }
        if (looks == 0) {
            break;
        }
    }
    return hp_owners_add(0);
}

hp_owner *hp_owners_claim_serving(unsigned size_class)
{
    unsigned looks = 0;
    for (hp_owner *owner = hp_owners_first(); owner != NULL && looks < SERVING_LOOKS;
         owner = hp_owners_next(owner), looks++) {
        if (!claim_if_open(owner)) {
            continue;
        }
        if (owner->classes[size_class].first != NULL) {
            return owner;
        }
        hp_claim_release(&owner->claim);
    }
    return NULL;
}

/*
 * What a thread frees it soon wants again: of an owner that belongs to one thread nothing is taken for another such
 * owner. The threads of a crowd use each other's chunks in any case.
 */
static bool may_share(const hp_owner *owner, const hp_owner *asking)
{
    return owner != asking && (hp_owner_threads(owner) == 0 || hp_owner_is_crowded(owner) ||
                               hp_owner_is_crowded(asking));
}

hp_pack *hp_owners_pop_spare(const hp_owner *asking, unsigned size_class, hp_owner **from)
{
    hp_pack *pack = NULL;
    hp_owner *owner = hp_owners_first();
    for (unsigned looks = 0; owner != NULL && pack == NULL && looks < SERVING_LOOKS; looks++) {
        *from = owner;
        pack = may_share(owner, asking) ? hp_depot_pop(owner, size_class) : NULL;
        owner = hp_owners_next(owner);
    }
    return pack;
}

/* Under the claim: whether enough slabs have a free slot of the class. */
static bool can_spare(const hp_owner *owner, unsigned size_class)
{
    unsigned count = hp_owner_threads(owner) == 0 ? 1 : SPARE_SLABS;
    const hp_slab *slab = owner->classes[size_class].first;
    while (slab != NULL && --count > 0) {
        slab = slab->free->next;
    }
    return slab != NULL;
}

hp_owner *hp_owners_claim_sparing(const hp_owner *asking, unsigned size_class)
{
    unsigned looks = 0;
    for (hp_owner *owner = hp_owners_first(); owner != NULL && looks < SERVING_LOOKS;
         owner = hp_owners_next(owner), looks++) {
        if (!may_share(owner, asking) || !claim_if_open(owner)) {
            continue;
        }
        if (hp_inbox_has_news(owner)) {
            hp_inbox_drain(owner);
        }
        if (can_spare(owner, size_class)) {
            return owner;
        }
        hp_claim_release(&owner->claim);
    }
    return NULL;
}

void *hp_owners_scrape(unsigned size_class, bool *zeroed)
{
    void *chunk = NULL;
    for (hp_owner *owner = hp_owners_first(); owner != NULL && chunk == NULL;
         owner = hp_owners_next(owner)) {
        if (hp_claim_try(&owner->claim)) {
            hp_inbox_drain(owner);
            chunk = hp_owner_take_at_least(owner, size_class, zeroed);
            hp_claim_release(&owner->claim);
        }
    }
    return chunk;
}

/* False: somebody else works on it. */
static bool trim(hp_owner *owner)
{
    if (!hp_claim_try(&owner->claim)) {
        return false;
    }
    hp_inbox_drain(owner);
    hp_owner_trim(owner);
    hp_claim_release(&owner->claim);
    return true;
}

/* In a depot lie chunks of others too: what they got back as notes after they were trimmed. */
static void trim_what_got_news(void)
{
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        if (hp_inbox_has_news(owner)) {
            trim(owner);
        }
    }
}

bool hp_owners_trim_all(void)
{
    bool all_claimed = true;
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        /* relaxed: a number to go by */
        atomic_store_explicit(&owner->scarce_passes, SCARCE_PASSES, memory_order_relaxed);
        all_claimed &= trim(owner);
    }
    trim_what_got_news();
    return all_claimed;
}

size_t hp_owners_trim_pages(void)
{
    size_t bytes = 0;
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        if (hp_claim_try(&owner->claim)) {
            bytes += hp_owner_trim_pages(owner);
            hp_claim_release(&owner->claim);
        }
    }
    return bytes;
}
