#include "arena/huge.h"

#include "arena/arena.h"
#include "arena/hidden.h"
#include "arena/kept.h"
#include "arena/mapping.h"
#include "arena/move_pages.h"
#include "metadata/address_map.h"
#include "platform/purger_bell.h"
#include "platform/system.h"

/* A kept mapping serves a request that uses at least this part of it: 7/8. */
#define KEPT_WASTE_SHIFT 3u
/*
 * A freed block with at most so much memory keeps it: to take a few pages of many out of the page table costs more than
 * they are worth.
 */
#define SPARSE_MOST_BYTES ((size_t)32 << 10)
/* A rest that is cut off a kept mapping is kept as well if it is so long. */
#define KEPT_LEAST_BYTES ((size_t)1 << 20)

static _Atomic bool kept_is_watched; /* shared: P16; a kept mapping is */

hp_huge_totals hp_huge_count(void)
{
    hp_huge_totals totals = hp_mapping_count();
    totals.kept_bytes = hp_kept_bytes();
    return totals;
}

/* By the holder of the record. */
static bool is_filled(const hp_huge *huge)
{
    /* relaxed: the holder reads what it wrote */
    return atomic_load_explicit(&huge->filled, memory_order_relaxed);
}

static uint32_t freed_at_ms_of(const hp_huge *huge)
{
    /* relaxed: the holder reads what it wrote */
    return atomic_load_explicit(&huge->freed_at_ms, memory_order_relaxed);
}

static void note_memory(hp_huge *huge, size_t dirty_bytes, bool filled, uint32_t freed_at_ms)
{
    huge->dirty_bytes = dirty_bytes;
    /* relaxed: others only peek */
    atomic_store_explicit(&huge->filled, filled, memory_order_relaxed);
    /* relaxed: an observer only wants an age */
    atomic_store_explicit(&huge->freed_at_ms, freed_at_ms, memory_order_relaxed);
}

static void discard(hp_huge *huge)
{
    if (hp_system->discard(huge->mapping, hp_mapped_bytes_of(huge))) {
        note_memory(huge, 0, false, freed_at_ms_of(huge));
    }
}

/* Ranges without much memory make room. */
static bool put_instead(hp_huge *huge)
{
    for (unsigned tries = 0; tries < HP_KEPT_SLOTS; tries++) {
        hp_huge *other = hp_kept_take_unfilled();
        if (other == NULL) {
            return false;
        }
        hp_mapping_destroy(other);
        if (hp_kept_put(huge)) {
            return true;
        }
    }
    return false;
}

static void keep_or_unmap(hp_huge *huge)
{
    hp_hide_mapping(huge->mapping, hp_mapped_bytes_of(huge));
    if (!hp_kept_put(huge) && !put_instead(huge)) {
        hp_mapping_destroy(huge);
        return;
    }
    /* acq_rel: P16, pairs with hp_huge_decay */
    if (!atomic_exchange_explicit(&kept_is_watched, true, memory_order_acq_rel)) {
        hp_bell_ring();
    }
}

/* What was taken because it seemed to lie there is looked at again: NULL if it does not, and it is kept on. */
static hp_huge *take_behind(const char *end)
{
    hp_huge *taken = hp_kept_take_at(end);
    if (taken != NULL && taken->mapping != end) {
        keep_or_unmap(taken);
        return NULL;
    }
    return taken;
}

static hp_huge *take_before(const char *start)
{
    hp_huge *taken = hp_kept_take_before(start);
    if (taken != NULL && taken->mapping + hp_mapped_bytes_of(taken) != start) {
        keep_or_unmap(taken);
        return NULL;
    }
    return taken;
}

/* It lasts as long as most of what may have memory. */
static void join(hp_huge *huge, hp_huge *beside)
{
    uint32_t freed_at_ms =
        beside->dirty_bytes > huge->dirty_bytes ? freed_at_ms_of(beside) : freed_at_ms_of(huge);
    note_memory(huge, huge->dirty_bytes + beside->dirty_bytes, is_filled(huge), freed_at_ms);
    hp_mapping_join(huge, beside);
}

/* What is filled stays so to the last page, and can be moved: the kernel does that with one mapping at a time. */
static void join_if_alike(hp_huge *huge, hp_huge *beside)
{
    if (beside == NULL) {
        return;
    }
    if (is_filled(huge) == is_filled(beside) && huge->origin == beside->origin) {
        join(huge, beside);
    } else {
        keep_or_unmap(beside);
    }
}

static size_t at_most(size_t bytes, size_t most)
{
    return bytes < most ? bytes : most;
}

/* What is behind the first bytes becomes a kept mapping of its own, if that is possible. */
static bool split_off(hp_huge *huge, size_t bytes)
{
    size_t behind = hp_mapped_bytes_of(huge) - bytes;
    bool possible = behind >= KEPT_LEAST_BYTES && hp_map_reserve(huge->mapping + bytes, 1);
    hp_huge *rest = possible ? hp_mapping_new_record() : NULL;
    if (rest == NULL) {
        return false;
    }
    hp_mapping_split(huge, rest, behind);
    note_memory(rest, at_most(huge->dirty_bytes, behind), is_filled(huge), freed_at_ms_of(huge));
    if (is_filled(rest) && behind <= HP_RUN_MAX_BYTES &&
        hp_system->discard(rest->mapping, behind)) {
        /* Its pages would only be in the way of longer ones. */
        note_memory(rest, 0, false, freed_at_ms_of(rest));
        join_if_alike(rest, take_behind(rest->mapping + behind));
    }
    keep_or_unmap(rest);
    return true;
}

static void cut(hp_huge *huge, size_t bytes)
{
    size_t behind = hp_mapped_bytes_of(huge) - bytes;
    if (!split_off(huge, bytes) && hp_system->unmap(huge->mapping + bytes, behind)) {
        hp_mapping_set_length(huge, bytes);
    }
}

/* The memory of a kept mapping is worth more than its length. False: it stays as it was. */
static bool fit_to(hp_huge *huge, size_t bytes)
{
    size_t mapped = hp_mapped_bytes_of(huge);
    if (mapped >= bytes) {
        if (mapped - bytes > mapped >> KEPT_WASTE_SHIFT) {
            cut(huge, bytes);
        }
        return true;
    }
    char *moved = hp_move_pages(huge->mapping, mapped, bytes);
    if (moved == NULL) {
        discard(huge);
        return false;
    }
    huge->mapping = moved;
    hp_mapping_renew_origin(huge);
    hp_mapping_set_length(huge, bytes);
    return true;
}

/* A kept mapping, cut or grown to the length if need be, or NULL. */
static hp_huge *take_kept(size_t bytes, size_t align_bytes)
{
    /* A mapping that grows may move; then its alignment is that of a page. */
    bool may_grow = align_bytes <= hp_page_bytes();
    hp_huge *huge = hp_kept_take_best(bytes, may_grow);
    if (huge == NULL) {
        return NULL;
    }
    /* It may have been another mapping by the same record in between: look again. */
    size_t mapped = hp_mapped_bytes_of(huge);
    hp_show_mapping(huge->mapping, mapped);
    bool fits = hp_kept_cost(mapped, is_filled(huge), bytes) != SIZE_MAX &&
                (mapped >= bytes || may_grow) && hp_is_aligned(huge->mapping, align_bytes);
    if (fits && fit_to(huge, bytes)) {
        return huge;
    }
    keep_or_unmap(huge);
    return NULL;
}

/* What was mapped for the alignment's sake goes back, as far as the kernel lets it. */
static void cut_to(hp_huge *huge, size_t bytes)
{
    size_t mapped = hp_mapped_bytes_of(huge);
    size_t before = (size_t)(huge->start - huge->mapping);
    size_t behind = mapped - before - bytes;
    if (behind != 0 && hp_system->unmap(huge->start + bytes, behind)) {
        mapped -= behind;
    }
    if (before != 0 && hp_system->unmap(huge->mapping, before)) {
        huge->mapping = huge->start;
        mapped -= before;
    }
    hp_mapping_set_length(huge, mapped);
}

static hp_huge *map_new(size_t bytes, size_t align_bytes)
{
    /* Alignment beyond a page: map more, start later, and give the rest back. */
    size_t extra = align_bytes <= hp_page_bytes() ? 0 : align_bytes;
    hp_huge *huge = extra > PTRDIFF_MAX - bytes ? NULL : hp_mapping_create(bytes + extra);
    if (huge == NULL) {
        return NULL;
    }
    huge->start = (char *)hp_round_up((uintptr_t)huge->mapping, align_bytes);
    if (extra != 0) {
        cut_to(huge, bytes);
    }
    if (!hp_map_reserve(huge->mapping, (size_t)(huge->start - huge->mapping) + 1)) {
        hp_mapping_destroy(huge);
        return NULL;
    }
    return huge;
}

void *hp_huge_allocate(size_t bytes, size_t align_bytes, bool *zeroed)
{
    if (bytes > PTRDIFF_MAX - hp_page_bytes()) {
        return NULL;
    }
    bytes = hp_round_up(bytes, hp_page_bytes());
    hp_huge *huge = take_kept(bytes, align_bytes);
    if (huge != NULL) {
        huge->start = huge->mapping;
    } else {
        huge = map_new(bytes, align_bytes);
        if (huge == NULL) {
            return NULL;
        }
    }
    *zeroed = huge->dirty_bytes == 0;
    hp_map_set(huge->start, 1, hp_entry_of(HP_KIND_HUGE, huge));
    return huge->start;
}

/* What the program wrote is not known, but which pages lie in memory. Those that were swapped out do not. */
static void note_what_was_written(hp_huge *huge)
{
    size_t bytes = hp_mapped_bytes_of(huge);
    size_t resident_bytes = hp_system->resident_bytes(huge->mapping, bytes);
    bool is_known = resident_bytes != SIZE_MAX;
    bool is_sparse = is_known && resident_bytes <= SPARSE_MOST_BYTES;
    note_memory(huge, is_sparse ? resident_bytes + hp_page_bytes() : bytes,
                is_known && resident_bytes > bytes / 2, (uint32_t)hp_system->now_ms());
}

static void discard_if_too_much(hp_huge *huge)
{
    if (!hp_kept_has_room_for_dirty(huge->dirty_bytes)) {
        discard(huge);
    }
}

void hp_huge_free(hp_huge *huge)
{
    size_t bytes = hp_mapped_bytes_of(huge);
    if (!hp_kept_may_keep(bytes)) {
        hp_mapping_destroy(huge);
        return;
    }
    note_what_was_written(huge);
    discard_if_too_much(huge);
    join_if_alike(huge, take_behind(huge->mapping + bytes));
    join_if_alike(huge, take_before(huge->mapping));
    discard_if_too_much(huge);
    keep_or_unmap(huge);
}

size_t hp_huge_usable_bytes(const hp_huge *huge)
{
    return hp_mapped_bytes_of(huge) - (size_t)(huge->start - huge->mapping);
}

bool hp_huge_clear(hp_huge *huge)
{
    if (is_filled(huge)) {
        return false;
    }
    discard(huge);
    return huge->dirty_bytes == 0;
}

/* Grows into what is kept behind it; what is too much of that stays kept. */
static bool grow_into_kept(hp_huge *huge, size_t new_bytes)
{
    hp_huge *behind = take_behind(huge->mapping + hp_mapped_bytes_of(huge));
    if (behind == NULL) {
        return false;
    }
    hp_show_mapping(behind->mapping, hp_mapped_bytes_of(behind));
    note_memory(huge, 0, is_filled(behind), freed_at_ms_of(behind));
    join(huge, behind);
    return hp_mapped_bytes_of(huge) >= new_bytes && fit_to(huge, new_bytes);
}

/* The block leaves its place; its entry goes first, because the place may be somebody else's at once. */
static bool move_block(hp_huge *huge, size_t old_bytes, size_t new_bytes)
{
    hp_map_set(huge->start, 1, 0);
    char *moved = hp_move_pages(huge->mapping, old_bytes, new_bytes);
    if (moved != NULL) {
        huge->mapping = moved;
        huge->start = moved;
        hp_mapping_renew_origin(huge);
    }
    hp_map_set(huge->start, 1, hp_entry_of(HP_KIND_HUGE, huge));
    return moved != NULL;
}

void *hp_huge_resize(hp_huge *huge, size_t bytes)
{
    size_t offset = (size_t)(huge->start - huge->mapping);
    if (bytes > PTRDIFF_MAX - offset - hp_page_bytes()) {
        return NULL;
    }
    size_t new_bytes = hp_round_up(offset + bytes, hp_page_bytes());
    if (new_bytes == hp_mapped_bytes_of(huge) ||
        (new_bytes > hp_mapped_bytes_of(huge) && grow_into_kept(huge, new_bytes))) {
        return huge->start;
    }
    size_t old_bytes = hp_mapped_bytes_of(huge);
    if (hp_system->remap(huge->mapping, old_bytes, new_bytes, NULL) == NULL &&
        (offset != 0 || !move_block(huge, old_bytes, new_bytes))) {
        return NULL;
    }
    hp_mapping_set_length(huge, new_bytes);
    return huge->start;
}

size_t hp_huge_decay(uint32_t now_ms, uint32_t age_ms, bool *remains)
{
    size_t unmapped_bytes = 0;
    bool kept_ones = false;
    /* acq_rel: P16, pairs with keep_or_unmap: whoever found it set has filled its slot before this */
    atomic_exchange_explicit(&kept_is_watched, false, memory_order_acq_rel);
    for (unsigned slot = 0; slot < HP_KEPT_SLOTS; slot++) {
        hp_huge *huge = hp_kept_take_old(slot, now_ms, age_ms, &kept_ones);
        if (huge != NULL) {
            unmapped_bytes += hp_mapped_bytes_of(huge);
            hp_mapping_destroy(huge);
        }
    }
    if (kept_ones) {
        /* relaxed: the purger's own word again; it comes back */
        atomic_store_explicit(&kept_is_watched, true, memory_order_relaxed);
        *remains = true;
    }
    return unmapped_bytes;
}

size_t hp_huge_purge(void)
{
    size_t purged_bytes = 0;
    hp_mapping_destroy_stranded();
    for (unsigned slot = 0; slot < HP_KEPT_SLOTS; slot++) {
        hp_huge *huge = hp_kept_take_slot(slot);
        if (huge != NULL) {
            purged_bytes += hp_mapped_bytes_of(huge);
            hp_mapping_destroy(huge);
        }
    }
    return purged_bytes;
}
