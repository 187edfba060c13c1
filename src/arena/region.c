#include "arena/region.h"

#include "arena/hidden.h"
#include "metadata/storage.h"
#include "platform/build.h"
#include "platform/purger_bell.h"
#include "platform/report.h"
#include "platform/system.h"

static void check(const hp_region *region)
{
    if (hp_debug) {
        const char *broken = hp_bfc_check(&region->bfc);
        if (broken == NULL) {
            broken = hp_recent_check(&region->recent, &region->bfc);
        }
        if (broken != NULL) {
            hp_broken("region", broken);
        }
    }
}

/*
 * Of a region, one part in so many is set aside for records: those of slabs of the smallest slots take the
 * most, 1.2 KiB per 64 KiB.
 */
#define RECORD_SHARE 48u

static uint32_t now_ms(void)
{
    /* 32 bits of milliseconds wrap after 49 days; ages are differences, so a wrap does no harm. */
    return (uint32_t)hp_system->now_ms();
}

static HP_SLOW void publish_core(hp_region *region)
{
    region->core_changed = false;
    /* relaxed: hints for choosing a region; the claim orders what they speak of */
    atomic_store_explicit(&region->largest_free_pages, hp_bfc_largest_free_pages(&region->bfc),
                          memory_order_relaxed);
    /* relaxed: statistics */
    atomic_store_explicit(&region->mapped_pages, region->bfc.page_count, memory_order_relaxed);
    uint32_t dirty_pages = region->keeps_pages ? 0 : region->bfc.dirty_pages;
    /* relaxed: as above */
    atomic_store_explicit(&region->dirty_pages, dirty_pages, memory_order_relaxed);
    if (region->bfc.hidden_chunks != region->hidden_counted) {
        hp_hidden_count(region);
    }
}

/* There is something for the purger. Who makes it so for a region that is not watched rings. */
static HP_COLD void have_it_watched(hp_region *region)
{
    /* acq_rel: P16, pairs with hp_region_unwatch */
    if (!atomic_exchange_explicit(&region->watched, true, memory_order_acq_rel)) {
        hp_bell_ring();
    }
}

bool hp_region_has_work(const hp_region *region)
{
    return (region->bfc.dirty_pages != 0 || region->recent.waiting != 0) && !region->keeps_pages;
}

/* Before the claim is released: R5. */
static inline void have_work_watched(hp_region *region)
{
    /* relaxed: under the claim nobody clears it */
    bool watched = atomic_load_explicit(&region->watched, memory_order_relaxed);
    if (HP_UNLIKELY(!watched) && hp_region_has_work(region)) {
        have_it_watched(region);
    }
}

bool hp_region_unwatch(hp_region *region)
{
    /* acq_rel: P16, pairs with have_it_watched: who finds the region watched left its note before this */
    atomic_exchange_explicit(&region->watched, false, memory_order_acq_rel);
    if (hp_stack_is_empty(&region->pending)) {
        return true;
    }
    /* relaxed: the purger's own word again */
    atomic_store_explicit(&region->watched, true, memory_order_relaxed);
    return false;
}

/* Whoever had the claim is the caller. */
static HP_COLD void take_up_again(hp_region *region)
{
    /* relaxed: as it was set */
    atomic_store_explicit(&region->abandoned, false, memory_order_relaxed);
    publish_core(region);
}

/* What the recent runs change. */
static inline void publish_recent(hp_region *region)
{
    if (HP_UNLIKELY(hp_region_is_abandoned(region))) {
        take_up_again(region);
    }
    /* relaxed: statistics */
    atomic_store_explicit(&region->free_pages,
                          region->bfc.free_pages + (uint32_t)region->recent.page_sum,
                          memory_order_relaxed);
    /* relaxed: a hint for choosing a region */
    atomic_store_explicit(&region->recent_sizes, region->recent.sizes, memory_order_relaxed);
}

static inline void publish_summary(hp_region *region)
{
    if (HP_UNLIKELY(region->core_changed)) {
        publish_core(region);
    }
    publish_recent(region);
}

static void attach(hp_region *region, const hp_range *range)
{
    region->base = range->base;
    region->page_bytes = hp_page_bytes();
    char *last_page = range->base + (size_t)(range->page_count - 1) * region->page_bytes;
    region->born_resident =
        hp_system->resident_bytes(last_page, region->page_bytes) == region->page_bytes;
    region->keeps_pages = false;
    region->purge_cursor = 0;
    region->tables = range->tables;
    region->pending_links =
        (hp_stack_node *)(void *)(range->tables + hp_range_table_bytes(range->page_count));
    hp_bfc_init(&region->bfc, range->tables, range->page_count);
    region->core_changed = true;
    publish_summary(region);
}

hp_region *hp_region_create(size_t bytes, void *hint)
{
    hp_range range;
    if (!hp_range_map(bytes, hint, &range)) {
        return NULL;
    }
    /* The records come last: they cannot be given back. */
    hp_region *region =
        hp_storage_set_aside(bytes / RECORD_SHARE) ? hp_storage_take(sizeof *region) : NULL;
    if (region == NULL) {
        hp_range_unmap(&range);
        return NULL;
    }
    attach(region, &range);
    return region;
}

bool hp_region_map(hp_region *region, size_t bytes, void *hint)
{
    hp_range range;
    if (!hp_range_map(bytes, hint, &range)) {
        return false;
    }
    attach(region, &range);
    return true;
}

static void give_to_core(hp_region *region, uint32_t chunk, uint32_t at_ms)
{
    region->core_changed = true;
    chunk = hp_bfc_free(&region->bfc, chunk, at_ms);
    if (hp_hidden_is_wanted()) {
        hp_hide_chunk(region, chunk);
    }
}

void hp_region_settle(hp_region *region)
{
    uint32_t chunk = hp_recent_take_any(&region->recent);
    if (chunk == HP_BFC_NONE) {
        return;
    }
    uint32_t at_ms = now_ms();
    do {
        give_to_core(region, chunk, at_ms);
        chunk = hp_recent_take_any(&region->recent);
    } while (chunk != HP_BFC_NONE);
}

size_t hp_region_unmap(hp_region *region)
{
    hp_bfc *bfc = &region->bfc;
    hp_region_settle(region);
    hp_range range = {region->base, region->tables, bfc->page_count};
    size_t bytes = (size_t)bfc->page_count * region->page_bytes;
    if (bytes == 0 || bfc->free_pages != bfc->page_count || !hp_range_unmap(&range)) {
        return 0;
    }
    hp_bfc_init_empty(bfc);
    region->core_changed = true;
    return bytes;
}

static HP_SLOW void work_in_pending(hp_region *region)
{
    hp_stack_node *node = hp_stack_take_all(&region->pending);
    uint32_t at_ms = now_ms();
    while (node != NULL) {
        hp_stack_node *next = hp_stack_next(node);
        give_to_core(region, (uint32_t)(node - region->pending_links), at_ms);
        node = next;
    }
}

bool hp_region_claim(hp_region *region)
{
    if (!hp_claim_try(&region->claim)) {
        return false;
    }
    if (HP_UNLIKELY(!hp_stack_is_empty(&region->pending))) {
        work_in_pending(region);
    }
    check(region);
    return true;
}

static inline void open_claim(hp_region *region)
{
    check(region);
    publish_summary(region);
    have_work_watched(region);
    hp_claim_release(&region->claim);
}

/* Works in what was left while the claim was taken, if nobody else has it now. Once: more is the next one's. */
static HP_SLOW void look_again(hp_region *region)
{
    if (hp_region_claim(region)) {
        open_claim(region);
    }
}

void hp_region_release(hp_region *region)
{
    open_claim(region);
    if (HP_UNLIKELY(!hp_stack_is_empty(&region->pending))) {
        look_again(region);
    }
}

static inline uint32_t take_recent(hp_region *region, uint32_t page_count, uint32_t align_pages)
{
    uint32_t chunk = hp_recent_take(&region->recent, &region->bfc, page_count, align_pages);
    if (chunk != HP_BFC_NONE) {
        region->bfc.chunks[chunk].dirty = true;
    }
    return chunk;
}

/* The core did not change. What waits on the pending list is looked at afterwards. */
static inline void release_core_unchanged(hp_region *region)
{
    check(region);
    publish_recent(region);
    have_work_watched(region);
    hp_claim_release(&region->claim);
    if (HP_UNLIKELY(!hp_stack_is_empty(&region->pending))) {
        look_again(region);
    }
}

hp_placed_run hp_region_reuse(hp_region *region, uint32_t page_count)
{
    hp_placed_run run = {NULL, 0};
    if (HP_LIKELY(hp_claim_try(&region->claim))) {
        uint32_t chunk = take_recent(region, page_count, 1);
        if (HP_LIKELY(chunk != HP_BFC_NONE)) {
            run.start = hp_region_address(region, chunk);
            run.entry = hp_entry_of_run(region->number, chunk);
        }
        release_core_unchanged(region);
    }
    return run;
}

static uint32_t allocate_from_core(hp_region *region, uint32_t page_count, uint32_t align_pages,
                                   hp_pages_wanted wanted)
{
    hp_bfc *bfc = &region->bfc;
    uint32_t chunk = hp_bfc_find(bfc, page_count, align_pages);
    bool touched = hp_bfc_is_touched(bfc, chunk, page_count, align_pages);
    if (!touched && region->recent.waiting != 0) {
        hp_region_settle(region);
        chunk = hp_bfc_find(bfc, page_count, align_pages);
        touched = hp_bfc_is_touched(bfc, chunk, page_count, align_pages);
    }
    if (chunk == HP_BFC_NONE || (wanted == HP_TOUCHED_PAGES && !touched)) {
        return HP_BFC_NONE;
    }
    region->core_changed = true;
    return hp_bfc_take(bfc, chunk, page_count, align_pages);
}

uint32_t hp_region_allocate(hp_region *region, uint32_t page_count, uint32_t align_pages,
                            hp_pages_wanted wanted)
{
    if (wanted == HP_UNTOUCHED_PAGES) {
        region->core_changed = true;
        return hp_bfc_allocate_untouched(&region->bfc, page_count, align_pages);
    }
    uint32_t chunk = take_recent(region, page_count, align_pages);
    return chunk != HP_BFC_NONE ? chunk
                                : allocate_from_core(region, page_count, align_pages, wanted);
}

static HP_SLOW void leave_note(hp_region *region, uint32_t chunk)
{
    hp_stack_push(&region->pending, &region->pending_links[chunk]);
    if (HP_UNLIKELY(hp_region_is_abandoned(region))) {
        return;
    }
    have_it_watched(region);
    if (!hp_claim_is_taken(&region->claim)) {
        look_again(region);
    }
}

/* The claim is taken and no place is empty: the core gets another run for it. */
static HP_SLOW void free_and_push_out(hp_region *region, uint32_t chunk)
{
    uint32_t pages = region->bfc.chunks[chunk].page_count;
    give_to_core(region, hp_recent_put(&region->recent, chunk, pages), now_ms());
    hp_region_release(region);
}

void hp_region_free(hp_region *region, uint32_t chunk)
{
    if (HP_UNLIKELY(!hp_claim_try(&region->claim))) {
        leave_note(region, chunk);
    } else if (HP_UNLIKELY(region->recent.waiting == HP_RECENT_ALL)) {
        free_and_push_out(region, chunk);
    } else {
        hp_recent_put(&region->recent, chunk, region->bfc.chunks[chunk].page_count);
        release_core_unchanged(region);
    }
}

void hp_region_put_back(hp_region *region, uint32_t chunk)
{
    if (hp_region_claim(region)) {
        give_to_core(region, chunk, now_ms());
        hp_region_release(region);
    } else {
        leave_note(region, chunk);
    }
}

/* Recent runs stand in the way: they are free, but the core does not know it. */
static bool extend(hp_region *region, uint32_t chunk, uint32_t page_count)
{
    if (hp_bfc_extend(&region->bfc, chunk, page_count)) {
        return true;
    }
    if (region->recent.waiting == 0) {
        return false;
    }
    hp_region_settle(region);
    return hp_bfc_extend(&region->bfc, chunk, page_count);
}

static void shrink(hp_region *region, uint32_t chunk, uint32_t page_count)
{
    uint32_t freed = hp_bfc_shrink(&region->bfc, chunk, page_count, now_ms());
    if (hp_hidden_is_wanted()) {
        hp_hide_chunk(region, freed);
    }
}

bool hp_region_resize(hp_region *region, uint32_t chunk, uint32_t page_count)
{
    if (region->bfc.chunks[chunk].page_count == page_count) {
        return true;
    }
    if (!hp_region_claim(region)) {
        return false;
    }
    bool done = true;
    region->core_changed = true;
    if (page_count > region->bfc.chunks[chunk].page_count) {
        done = extend(region, chunk, page_count);
    } else {
        shrink(region, chunk, page_count);
    }
    hp_region_release(region);
    hp_show_if_hidden(region, chunk);
    return done;
}
