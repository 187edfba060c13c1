/* Which owner a thread is bound to. */
#include <stdatomic.h>

#include "owner/depot.h"
#include "owner/owners.h"
#include "owner/retire.h"
#include "owner/singles.h"
#include "platform/processor.h"

typedef struct choice {
    hp_owner *owner;  /* NULL: there is none */
    uint32_t threads; /* were bound to it */
    uint32_t weight;  /* the less the better */
} choice;

/* Who has a claim lets it go again, so a taken one says nothing of an owner's threads. */
#define CLAIMED_WEIGHT_AS_USUAL 0u
/* But after a fork it may be taken for ever: more than any number of threads. */
#define CLAIMED_WEIGHT_AFTER_FORK (UINT32_MAX / 2)

/* Among so many of the oldest: threads, and what a taken claim counts for. */
static choice lightest(uint32_t among, uint32_t claimed_weight)
{
    choice best = {.weight = UINT32_MAX};
    for (hp_owner *owner = hp_owners_first(); owner != NULL && among > 0;
         owner = hp_owners_next(owner), among--) {
        uint32_t threads = hp_owner_threads(owner);
        uint32_t weight = threads + (hp_claim_is_taken(&owner->claim) ? claimed_weight : 0);
        if (weight < best.weight) {
            best = (choice){owner, threads, weight};
        }
    }
    return best;
}

static void count_thread(hp_owner *owner)
{
    /* relaxed: a counter for balance */
    atomic_fetch_add_explicit(&owner->bound_threads, 1, memory_order_relaxed);
}

/* False: another thread was bound to it meanwhile. Two that start at once shall not share one and leave another idle. */
static bool count_thread_if_chosen_alone(choice chosen)
{
    /* relaxed: a counter for balance */
    return atomic_compare_exchange_strong_explicit(&chosen.owner->bound_threads, &chosen.threads,
                                                   chosen.threads + 1, memory_order_relaxed,
                                                   memory_order_relaxed);
}

static hp_owner *bind_among(uint32_t among, uint32_t claimed_weight)
{
    choice best = lightest(among, claimed_weight);
    if (best.owner == NULL || (best.weight > 0 && hp_owners_may_add())) {
        hp_owner *fresh = hp_owners_add(1);
        if (fresh != NULL) {
            hp_claim_release(&fresh->claim);
            return fresh;
        }
    }
    while (best.owner != NULL && !count_thread_if_chosen_alone(best)) {
        best = lightest(among, claimed_weight);
    }
    return best.owner;
}

hp_owner *hp_owners_bind(void)
{
    return bind_among(hp_owners_to_bind(), CLAIMED_WEIGHT_AS_USUAL);
}

/* One of those that threads are bound to. */
static hp_owner *of_processor(uint32_t processor)
{
    hp_owner *owner = hp_owners_first();
    for (uint32_t among = hp_owners_to_bind(); owner != NULL && among > 0; among--) {
        /* relaxed: a number to go by */
        if (atomic_load_explicit(&owner->processor, memory_order_relaxed) == processor) {
            return owner;
        }
        owner = hp_owners_next(owner);
    }
    return NULL;
}

hp_owner *hp_owners_follow(hp_owner *owner, uint32_t processor)
{
    hp_owner *near = hp_owner_is_crowded(owner) ? of_processor(processor) : NULL;
    if (near != NULL) {
        count_thread(near);
    } else if (!hp_claim_is_taken(&owner->claim)) {
        /* relaxed: a number to go by. It may be that of two owners until one of them goes along with a thread. */
        atomic_store_explicit(&owner->processor, processor, memory_order_relaxed);
    }
    return near;
}

hp_owner *hp_owners_bind_to_any(void)
{
    return bind_among(UINT32_MAX, CLAIMED_WEIGHT_AFTER_FORK);
}

/* A thread that forked in a signal handler, in the middle of being bound, is not counted in the child. */
void hp_owners_unbind(hp_owner *owner)
{
    uint32_t threads = hp_owner_threads(owner);
    /* relaxed: a counter for balance */
    while (threads > 0 &&
           !atomic_compare_exchange_weak_explicit(&owner->bound_threads, &threads, threads - 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

void hp_owners_keep_only(hp_owner *bound, uint32_t room_bytes, uint32_t single_room_bytes)
{
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        if (hp_claim_is_taken(&owner->claim)) {
            /* relaxed: a number to go by. Nobody follows to what stays claimed. */
            atomic_store_explicit(&owner->processor, HP_NO_PROCESSOR, memory_order_relaxed);
            hp_owner_abandon(owner);
        }
        /* relaxed: a counter for balance, and there is one thread */
        atomic_store_explicit(&owner->bound_threads, owner == bound, memory_order_relaxed);
        hp_depot_recount(owner, owner == bound ? room_bytes : 0);
        hp_singles_recount(owner, owner == bound ? single_room_bytes : 0);
    }
}
