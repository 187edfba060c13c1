#include "owner/inbox.h"

#include <limits.h>
#include <stddef.h>

#include "owner/retire.h"
#include "platform/misuse.h"

static hp_slab *slab_of_link(hp_stack_node *link)
{
    return (hp_slab *)(void *)((char *)link - offsetof(hp_slab, inbox_link));
}

/* Reports each slot of the bits as freed twice. */
static HP_COLD void report_twice(const hp_slab *slab, unsigned word, uint64_t bits)
{
    for (; bits != 0; bits &= bits - 1) {
        size_t index = word * 64 + hp_lowest_bit(bits);
        hp_misuse("free()", "double free of", slab->base + index * slab->slot_bytes);
    }
}

static HP_SLOW void drain_if_possible(hp_owner *owner)
{
    if (hp_claim_try(&owner->claim)) {
        hp_inbox_drain_some(owner, HP_INBOX_PORTION_SLABS);
        hp_claim_release(&owner->claim);
    }
}

/* The first half of a note; returns those bits that were noted already. */
HP_INLINE uint64_t note(hp_slab *slab, unsigned word, uint64_t bits)
{
    /* release: P3, pairs with the exchange in drain_slab: the freer's last use of the chunks comes first */
    uint64_t old = atomic_fetch_or_explicit(&slab->remote[word], bits, memory_order_release);
    return old & bits;
}

/*
 * The second one. The owner and the bytes were read while the chunks were still held: the slab may be cut anew by now.
 */
HP_INLINE void announce(hp_owner *owner, hp_slab *slab, unsigned word, uint64_t bytes)
{
    /* acq_rel: P4, pairs with the exchange in drain_slab: the bits come first, and a push after it may
       overwrite the link that the drainer has read */
    uint64_t pending =
        atomic_fetch_or_explicit(&slab->pending, (uint64_t)1 << word, memory_order_acq_rel);
    if (pending == 0) {
        hp_stack_push(&owner->inbox, &slab->inbox_link);
    }
    /* acq_rel: P16, pairs with the purger, which either sees the bytes or is seen not to watch; P19, pairs with
       take_all. Counted after the push, so that a drain which misses the slab leaves a count that makes somebody
       look again */
    uint64_t waiting =
        atomic_fetch_add_explicit(&owner->inbox_bytes, bytes, memory_order_acq_rel) + bytes;
    hp_owner_have_watched(owner);
    if (HP_UNLIKELY(waiting > HP_INBOX_LIMIT_BYTES)) {
        drain_if_possible(owner);
    }
}

void hp_inbox_post(hp_slab *slab, unsigned word, uint64_t bits)
{
    hp_owner *owner = slab->owner;
    uint64_t bytes = (uint64_t)hp_count_bits(bits) * slab->slot_bytes;
    uint64_t twice = note(slab, word, bits);
    if (HP_UNLIKELY(twice != 0)) {
        report_twice(slab, word, twice);
    }
    announce(owner, slab, word, bytes);
}

void hp_inbox_post_block(hp_slab *slab, uint32_t index)
{
    hp_owner *owner = slab->owner;
    const char *block = slab->base + (size_t)index * slab->slot_bytes;
    uint32_t end = index + hp_slab_block_slots(slab, index);
    uint64_t twice = 0;
    /* The first slot goes last: until then the block is held, and the slab stays open. */
    for (unsigned next = (end - 1) / 64 + 1; next > index / 64; next--) {
        uint64_t bits = hp_slab_bits(next - 1, index, end);
        uint64_t bytes = (uint64_t)hp_count_bits(bits) * slab->slot_bytes;
        twice |= note(slab, next - 1, bits);
        announce(owner, slab, next - 1, bytes);
    }
    if (HP_UNLIKELY(twice != 0)) {
        hp_misuse("free()", "double free of", block);
    }
}

/* Returns the bytes that were noted. */
static uint64_t drain_slab(hp_owner *owner, hp_slab *slab)
{
    uint64_t slots = 0;
    uint32_t slot_bytes = slab->slot_bytes; /* as long as none of the slots is back */
    /* acq_rel: P4, pairs with the fetch_or in announce, both ways */
    uint64_t pending = atomic_exchange_explicit(&slab->pending, 0, memory_order_acq_rel);
    for (; pending != 0; pending &= pending - 1) {
        unsigned word = hp_lowest_bit(pending);
        /* acquire: P3, pairs with the fetch_or in note */
        uint64_t bits = atomic_exchange_explicit(&slab->remote[word], 0, memory_order_acquire);
        if (bits == 0) {
            continue;
        }
        slots += hp_count_bits(bits);
        uint64_t twice = hp_owner_put_word(owner, slab, word, bits);
        if (HP_UNLIKELY(twice != 0)) {
            report_twice(slab, word, twice);
        }
    }
    return slots * slot_bytes;
}

/*
 * What is counted by now has been pushed, so it is taken, or somebody is about to push it and to count after that. What
 * comes in between is counted for the next time.
 */
static void take_all(hp_owner *owner)
{
    /* acquire: P19, pairs with the count in announce */
    owner->taken_bytes = atomic_load_explicit(&owner->inbox_bytes, memory_order_acquire);
    owner->taken = hp_stack_take_all(&owner->inbox);
}

/* So many slabs of those that were taken. The count tells of news until all are worked in. */
static void work_in(hp_owner *owner, unsigned slabs)
{
    hp_stack_node *link = owner->taken;
    for (; link != NULL && slabs > 0; slabs--) {
        hp_slab *slab = slab_of_link(link);
        /* The link is read before pending is cleared: from then on the slab may be pushed again. */
        link = hp_stack_next(link);
        if (HP_LIKELY(link != NULL)) {
            hp_prefetch_to_write(&slab_of_link(link)->pending);
        }
        owner->worked_in_bytes += drain_slab(owner, slab);
    }
    owner->taken = link;
    if (link == NULL) {
        /* relaxed: a counter; nothing follows from what it says less */
        atomic_fetch_sub_explicit(&owner->inbox_bytes, owner->taken_bytes, memory_order_relaxed);
        owner->taken_bytes = 0;
        owner->worked_in_bytes = 0;
    }
}

uint64_t hp_inbox_waiting_bytes(const hp_owner *owner)
{
    /* relaxed: statistics */
    uint64_t bytes = atomic_load_explicit(&owner->inbox_bytes, memory_order_relaxed);
    return bytes - (owner->worked_in_bytes < bytes ? owner->worked_in_bytes : bytes);
}

void hp_inbox_drain_some(hp_owner *owner, unsigned slabs)
{
    if (owner->taken == NULL) {
        take_all(owner);
    }
    work_in(owner, slabs);
}

void hp_inbox_drain(hp_owner *owner)
{
    if (owner->taken != NULL) {
        work_in(owner, UINT_MAX);
    }
    take_all(owner);
    work_in(owner, UINT_MAX);
}

bool hp_inbox_is_free(hp_slab *slab, unsigned index)
{
    unsigned word = index / 64;
    uint64_t bit = (uint64_t)1 << (index & 63);
    /* relaxed: the caller holds the chunk or makes a mistake; there is nothing to be ordered */
    if ((atomic_load_explicit(&slab->remote[word], memory_order_relaxed) & bit) != 0) {
        return true;
    }
    if (!hp_claim_try(&slab->owner->claim)) {
        return false;
    }
    bool is_free = (slab->free->words[word] & bit) != 0;
    hp_claim_release(&slab->owner->claim);
    return is_free;
}

void hp_inbox_free_now(hp_slab *slab, unsigned index)
{
    hp_owner *owner = slab->owner;
    if (!hp_claim_try(&owner->claim)) {
        hp_inbox_post_block(slab, index);
        return;
    }
    /* A note of the same slot would tell of a double free: look at the notes first. */
    if (HP_UNLIKELY(hp_inbox_has_news(owner))) {
        hp_inbox_drain(owner);
    }
    if (!hp_owner_put_block(owner, slab, index)) {
        hp_misuse("free()", "double free of", slab->base + (size_t)index * slab->slot_bytes);
    }
    hp_claim_release(&owner->claim);
}
