#include "arena/kept.h"

#include <stdatomic.h>

#include "arena/mapping.h"
#include "platform/limit.h"
#include "platform/system.h"

static hp_huge *_Atomic kept[HP_KEPT_SLOTS]; /* shared: P10 */
static _Atomic uint64_t kept_bytes;  /* shared: relaxed counter; reserved before a slot is filled */
static _Atomic uint64_t dirty_bytes; /* shared: as kept_bytes */

static bool is_filled(const hp_huge *huge)
{
    /* relaxed: others only peek, and look again once they hold it */
    return atomic_load_explicit(&huge->filled, memory_order_relaxed);
}

uint64_t hp_kept_bytes(void)
{
    /* relaxed: a statistic */
    return atomic_load_explicit(&kept_bytes, memory_order_relaxed);
}

static void count_out(const hp_huge *huge)
{
    /* relaxed: a statistic that also bounds what is kept */
    atomic_fetch_sub_explicit(&kept_bytes, hp_mapped_bytes_of(huge), memory_order_relaxed);
    /* relaxed: as above */
    atomic_fetch_sub_explicit(&dirty_bytes, huge->dirty_bytes, memory_order_relaxed);
}

bool hp_kept_has_room_for_dirty(size_t bytes)
{
    /* relaxed: a hint */
    uint64_t dirty_now = atomic_load_explicit(&dirty_bytes, memory_order_relaxed);
    return bytes <= HP_HUGE_KEPT_BYTES && dirty_now <= HP_HUGE_KEPT_BYTES - bytes;
}

/* KP2: while so many bytes are kept, or about to be. */
static uint64_t most_bytes(uint64_t kept_now)
{
    if (hp_limit_address_space_is_scarce()) {
        return HP_HUGE_KEPT_BYTES;
    }
    uint64_t mapped = hp_mapping_count().mapped_bytes;
    uint64_t in_use = mapped > kept_now ? mapped - kept_now : 0;
    uint64_t most = in_use < HP_KEPT_RANGE_BYTES ? in_use : HP_KEPT_RANGE_BYTES;
    return most > HP_HUGE_KEPT_BYTES ? most : HP_HUGE_KEPT_BYTES;
}

bool hp_kept_may_keep(size_t bytes)
{
    return bytes <= most_bytes(hp_kept_bytes() + bytes);
}

/* Both bounds are kept by adding first; what does not become of it is taken back by count_out. */
static bool count_in(const hp_huge *huge)
{
    size_t bytes = hp_mapped_bytes_of(huge);
    /* relaxed: a counter */
    uint64_t kept_before = atomic_fetch_add_explicit(&kept_bytes, bytes, memory_order_relaxed);
    /* relaxed: a counter */
    uint64_t dirty_before =
        atomic_fetch_add_explicit(&dirty_bytes, huge->dirty_bytes, memory_order_relaxed);
    return kept_before + bytes <= most_bytes(kept_before + bytes) &&
           dirty_before + huge->dirty_bytes <= HP_HUGE_KEPT_BYTES;
}

/* Takes the slot's record if it is still the one that was seen. */
static bool take_seen(unsigned slot, hp_huge *seen)
{
    /* acquire: P10, pairs with hp_kept_put. relaxed on failure: the slot is left alone */
    if (!atomic_compare_exchange_strong_explicit(&kept[slot], &seen, NULL, memory_order_acquire,
                                                 memory_order_relaxed)) {
        return false;
    }
    count_out(seen);
    return true;
}

bool hp_kept_put(hp_huge *huge)
{
    /* relaxed: P10 publishes it with the slot */
    atomic_store_explicit(&huge->kept_start, (uintptr_t)huge->mapping, memory_order_relaxed);
    if (count_in(huge)) {
        for (unsigned slot = 0; slot < HP_KEPT_SLOTS; slot++) {
            hp_huge *empty = NULL;
            /* release: P10, pairs with take_seen. relaxed on failure: the next slot is tried */
            if (atomic_compare_exchange_strong_explicit(
                    &kept[slot], &empty, huge, memory_order_release, memory_order_relaxed)) {
                return true;
            }
        }
    }
    count_out(huge);
    return false;
}

static hp_huge *peek(unsigned slot)
{
    /* acquire: P10; records are never unmapped, so peeking is safe even if it changes hands */
    return atomic_load_explicit(&kept[slot], memory_order_acquire);
}

hp_huge *hp_kept_take_best(size_t bytes, bool may_grow)
{
    hp_huge *best = NULL;
    unsigned best_slot = 0;
    size_t least = SIZE_MAX;
    for (unsigned slot = 0; slot < HP_KEPT_SLOTS; slot++) {
        hp_huge *huge = peek(slot);
        size_t mapped = huge == NULL ? 0 : hp_mapped_bytes_of(huge);
        if (mapped == 0 || (mapped < bytes && !may_grow)) {
            continue;
        }
        size_t cost = hp_kept_cost(mapped, is_filled(huge), bytes);
        if (cost < least) {
            least = cost;
            best = huge;
            best_slot = slot;
        }
    }
    return best != NULL && take_seen(best_slot, best) ? best : NULL;
}

hp_huge *hp_kept_take_unfilled(void)
{
    for (unsigned slot = 0; slot < HP_KEPT_SLOTS; slot++) {
        hp_huge *huge = peek(slot);
        if (huge != NULL && !is_filled(huge) && take_seen(slot, huge)) {
            return huge;
        }
    }
    return NULL;
}

static uintptr_t start_of(const hp_huge *huge)
{
    /* relaxed: P10, or it is another mapping's by now, which the caller finds out */
    return atomic_load_explicit(&huge->kept_start, memory_order_relaxed);
}

hp_huge *hp_kept_take_at(const char *start)
{
    for (unsigned slot = 0; slot < HP_KEPT_SLOTS; slot++) {
        hp_huge *huge = peek(slot);
        if (huge != NULL && start_of(huge) == (uintptr_t)start && take_seen(slot, huge)) {
            return huge;
        }
    }
    return NULL;
}

hp_huge *hp_kept_take_before(const char *end)
{
    for (unsigned slot = 0; slot < HP_KEPT_SLOTS; slot++) {
        hp_huge *huge = peek(slot);
        if (huge != NULL && start_of(huge) + hp_mapped_bytes_of(huge) == (uintptr_t)end &&
            take_seen(slot, huge)) {
            return huge;
        }
    }
    return NULL;
}

hp_huge *hp_kept_take_slot(unsigned slot)
{
    /* acquire: P10, pairs with hp_kept_put */
    hp_huge *huge = atomic_exchange_explicit(&kept[slot], NULL, memory_order_acquire);
    if (huge != NULL) {
        count_out(huge);
    }
    return huge;
}

hp_huge *hp_kept_take_old(unsigned slot, uint32_t now_ms, uint32_t age_ms, bool *younger)
{
    hp_huge *huge = peek(slot);
    if (huge == NULL) {
        return NULL;
    }
    /* relaxed: an age; if the record has changed hands, its mapping is taken too early or too late */
    uint32_t freed_at_ms = atomic_load_explicit(&huge->freed_at_ms, memory_order_relaxed);
    if (hp_have_passed(age_ms, freed_at_ms, now_ms) && take_seen(slot, huge)) {
        return huge;
    }
    *younger = true;
    return NULL;
}
