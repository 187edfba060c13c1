#include "arena/huge.h"

#include "arena/hidden.h"
#include "arena/kept.h"
#include "arena/move_pages.h"
#include "metadata/address_map.h"
#include "metadata/storage.h"
#include "platform/huge_pages.h"
#include "platform/purger_bell.h"
#include "platform/system.h"

#define STRANDED_AT_ONCE 64u
/* A kept mapping serves a request that uses at least this part of it: 7/8. */
#define KEPT_WASTE_SHIFT 3u
/* A rest that is cut off a kept mapping is kept as well if it is so long. */
#define KEPT_LEAST_BYTES ((size_t)4 << 20)

static _Atomic bool kept_is_watched;   /* shared: P16; a kept mapping is */
static hp_stack spare_records;         /* shared: P2 */
static hp_stack stranded;              /* shared: P2; H3 */
static _Atomic uint64_t mapped_total;  /* shared: relaxed counter */
static _Atomic uint64_t mapping_total; /* shared: relaxed counter */

static size_t mapped_bytes_of(const hp_huge *huge)
{
    /* relaxed: the holder reads what it wrote; others only peek and look again once they hold it */
    return atomic_load_explicit(&huge->mapped_bytes, memory_order_relaxed);
}

static void count_mapping(uint64_t mappings, uint64_t bytes)
{
    /* relaxed: statistics */
    atomic_fetch_add_explicit(&mapping_total, mappings, memory_order_relaxed);
    atomic_fetch_add_explicit(&mapped_total, bytes, memory_order_relaxed);
}

hp_huge_totals hp_huge_count(void)
{
    /* relaxed: statistics */
    return (hp_huge_totals){
        .mappings = atomic_load_explicit(&mapping_total, memory_order_relaxed),
        .mapped_bytes = atomic_load_explicit(&mapped_total, memory_order_relaxed),
        .kept_bytes = hp_kept_bytes(),
    };
}

/* By the holder of the record. */
static void note_length(hp_huge *huge, size_t bytes)
{
    count_mapping(0, (uint64_t)bytes - (uint64_t)mapped_bytes_of(huge));
    /* relaxed: others only peek */
    atomic_store_explicit(&huge->mapped_bytes, bytes, memory_order_relaxed);
}

static hp_huge *new_record(void)
{
    hp_stack_node *node = hp_stack_pop(&spare_records);
    return node != NULL ? (hp_huge *)(void *)node : hp_storage_take(sizeof(hp_huge));
}

static void unmap_and_recycle(hp_huge *huge)
{
    size_t bytes = mapped_bytes_of(huge);
    count_mapping((uint64_t)-1, -(uint64_t)bytes);
    if (hp_system->unmap(huge->mapping, bytes)) {
        hp_stack_push(&spare_records, &huge->spare_link);
        return;
    }
    /* At the limit of mappings a range may not be cut out of its neighbours. Its pages can go. */
    huge->dirty = !hp_system->discard(huge->mapping, bytes);
    hp_stack_push(&stranded, &huge->spare_link);
}

/* A stranded mapping that is large enough, or NULL. One try: a second one may be small as well. */
static hp_huge *take_stranded(size_t bytes)
{
    hp_huge *huge = (hp_huge *)(void *)hp_stack_pop(&stranded);
    if (huge != NULL && mapped_bytes_of(huge) < bytes) {
        hp_stack_push(&stranded, &huge->spare_link);
        return NULL;
    }
    return huge;
}

static void keep_or_unmap(hp_huge *huge)
{
    hp_hide_mapping(huge->mapping, mapped_bytes_of(huge));
    if (!hp_kept_put(huge)) {
        unmap_and_recycle(huge);
        return;
    }
    /* acq_rel: P16, pairs with hp_huge_decay */
    if (!atomic_exchange_explicit(&kept_is_watched, true, memory_order_acq_rel)) {
        hp_bell_ring();
    }
}

/* What is behind the first bytes becomes a kept mapping of its own, if that is possible. */
static bool split_off(hp_huge *huge, size_t bytes)
{
    size_t behind = mapped_bytes_of(huge) - bytes;
    char *start = huge->mapping + bytes;
    hp_huge *rest = behind >= KEPT_LEAST_BYTES && hp_map_reserve(start, 1) ? new_record() : NULL;
    if (rest == NULL) {
        return false;
    }
    note_length(huge, bytes);
    count_mapping(1, behind);
    rest->mapping = start;
    rest->dirty = true;
    /* relaxed: the record is not shared yet */
    atomic_store_explicit(&rest->mapped_bytes, behind, memory_order_relaxed);
    /* relaxed: as above */
    atomic_store_explicit(&rest->freed_at_ms,
                          atomic_load_explicit(&huge->freed_at_ms, memory_order_relaxed),
                          memory_order_relaxed);
    keep_or_unmap(rest);
    return true;
}

/* The memory of a kept mapping is worth more than its length. False: it stays as it was. */
static bool fit_to(hp_huge *huge, size_t bytes)
{
    size_t mapped = mapped_bytes_of(huge);
    if (mapped >= bytes && mapped - bytes <= mapped >> KEPT_WASTE_SHIFT) {
        return true;
    }
    if (mapped > bytes) {
        if (!split_off(huge, bytes) && hp_system->unmap(huge->mapping + bytes, mapped - bytes)) {
            note_length(huge, bytes);
        }
        return true;
    }
    if (hp_system->remap(huge->mapping, mapped, bytes, NULL) == NULL) {
        char *moved = hp_move_pages(huge->mapping, mapped, bytes);
        if (moved == NULL) {
            return false;
        }
        huge->mapping = moved;
    }
    note_length(huge, bytes);
    return true;
}

/* A kept mapping, cut or grown to the length if need be, or NULL. */
static hp_huge *take_kept(size_t bytes, size_t align_bytes)
{
    /* A mapping that grows may move; then its alignment is that of a page. */
    bool may_grow = align_bytes <= hp_page_bytes();
    hp_huge *huge = hp_kept_take_nearest(bytes, may_grow);
    if (huge == NULL) {
        return NULL;
    }
    /* It may have been another mapping by the same record in between: look again. */
    size_t mapped = mapped_bytes_of(huge);
    hp_show_mapping(huge->mapping, mapped);
    bool fits = hp_kept_distance(mapped, bytes) != SIZE_MAX && (mapped >= bytes || may_grow) &&
                ((uintptr_t)huge->mapping & (align_bytes - 1)) == 0;
    if (fits && fit_to(huge, bytes)) {
        return huge;
    }
    keep_or_unmap(huge);
    return NULL;
}

/* What was mapped for the alignment's sake goes back, as far as the kernel lets it. */
static void cut_to(hp_huge *huge, size_t bytes)
{
    size_t mapped = mapped_bytes_of(huge);
    size_t before = (size_t)(huge->start - huge->mapping);
    size_t behind = mapped - before - bytes;
    if (behind != 0 && hp_system->unmap(huge->start + bytes, behind)) {
        mapped -= behind;
    }
    if (before != 0 && hp_system->unmap(huge->mapping, before)) {
        huge->mapping = huge->start;
        mapped -= before;
    }
    /* relaxed: the record is not shared yet */
    atomic_store_explicit(&huge->mapped_bytes, mapped, memory_order_relaxed);
}

static hp_huge *map_new(size_t bytes, size_t align_bytes)
{
    /* Alignment beyond a page: map more, start later, and give the rest back. */
    size_t extra = align_bytes <= hp_page_bytes() ? 0 : align_bytes;
    hp_huge *huge = extra > PTRDIFF_MAX - bytes ? NULL : new_record();
    if (huge == NULL) {
        return NULL;
    }
    char *mapping = hp_system->map(NULL, bytes + extra);
    if (mapping != NULL) {
        hp_huge_pages_advise(mapping, bytes + extra);
        huge->mapping = mapping;
        huge->dirty = false;
        /* relaxed: the record is not shared yet */
        atomic_store_explicit(&huge->mapped_bytes, bytes + extra, memory_order_relaxed);
    } else {
        hp_stack_push(&spare_records, &huge->spare_link);
        huge = take_stranded(bytes + extra);
        if (huge == NULL) {
            return NULL;
        }
        hp_show_mapping(huge->mapping, mapped_bytes_of(huge));
    }
    huge->start = (char *)hp_round_up((uintptr_t)huge->mapping, align_bytes);
    if (extra != 0) {
        cut_to(huge, bytes);
    }
    count_mapping(1, mapped_bytes_of(huge));
    if (!hp_map_reserve(huge->mapping, (size_t)(huge->start - huge->mapping) + 1)) {
        unmap_and_recycle(huge);
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
    *zeroed = false;
    if (huge != NULL) {
        huge->start = huge->mapping;
    } else {
        huge = map_new(bytes, align_bytes);
        if (huge == NULL) {
            return NULL;
        }
        *zeroed = !huge->dirty;
    }
    hp_map_set(huge->start, 1, hp_entry_of(HP_KIND_HUGE, huge));
    return huge->start;
}

void hp_huge_free(hp_huge *huge)
{
    /* relaxed: read by an observer, who only wants an age */
    atomic_store_explicit(&huge->freed_at_ms, (uint32_t)hp_system->now_ms(), memory_order_relaxed);
    keep_or_unmap(huge);
}

size_t hp_huge_usable_bytes(const hp_huge *huge)
{
    return mapped_bytes_of(huge) - (size_t)(huge->start - huge->mapping);
}

/* Grows into what is kept behind it; what is too much of that stays kept. */
static bool grow_into_kept(hp_huge *huge, size_t new_bytes)
{
    const char *end = huge->mapping + mapped_bytes_of(huge);
    hp_huge *behind = hp_kept_take_at(end);
    if (behind == NULL) {
        return false;
    }
    if (behind->mapping != end) {
        keep_or_unmap(behind);
        return false;
    }
    size_t bytes = mapped_bytes_of(behind);
    hp_show_mapping(behind->mapping, bytes);
    count_mapping((uint64_t)-1, -(uint64_t)bytes);
    note_length(huge, mapped_bytes_of(huge) + bytes);
    hp_stack_push(&spare_records, &behind->spare_link);
    return mapped_bytes_of(huge) >= new_bytes && fit_to(huge, new_bytes);
}

/* The block leaves its place; its entry goes first, because the place may be somebody else's at once. */
static bool move_block(hp_huge *huge, size_t old_bytes, size_t new_bytes)
{
    hp_map_set(huge->start, 1, 0);
    char *moved = hp_move_pages(huge->mapping, old_bytes, new_bytes);
    if (moved != NULL) {
        huge->mapping = moved;
        huge->start = moved;
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
    if (new_bytes == mapped_bytes_of(huge) ||
        (new_bytes > mapped_bytes_of(huge) && grow_into_kept(huge, new_bytes))) {
        return huge->start;
    }
    size_t old_bytes = mapped_bytes_of(huge);
    if (hp_system->remap(huge->mapping, old_bytes, new_bytes, NULL) == NULL &&
        (offset != 0 || !move_block(huge, old_bytes, new_bytes))) {
        return NULL;
    }
    note_length(huge, new_bytes);
    return huge->start;
}

/* The kernel may have let go of its refusal. All are taken first: what it refuses again comes back. */
static void unmap_stranded(void)
{
    hp_huge *taken[STRANDED_AT_ONCE];
    unsigned count = 0;
    while (count < STRANDED_AT_ONCE) {
        hp_stack_node *node = hp_stack_pop(&stranded);
        if (node == NULL) {
            break;
        }
        taken[count++] = (hp_huge *)(void *)node;
    }
    while (count > 0) {
        hp_huge *huge = taken[--count];
        count_mapping(1, mapped_bytes_of(huge));
        unmap_and_recycle(huge);
    }
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
            unmapped_bytes += mapped_bytes_of(huge);
            unmap_and_recycle(huge);
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
    unmap_stranded();
    for (unsigned slot = 0; slot < HP_KEPT_SLOTS; slot++) {
        hp_huge *huge = hp_kept_take_slot(slot);
        if (huge != NULL) {
            purged_bytes += mapped_bytes_of(huge);
            unmap_and_recycle(huge);
        }
    }
    return purged_bytes;
}
