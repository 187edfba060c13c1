#include "arena/arena.h"

#include "arena/hidden.h"
#include "arena/purge.h"
#include "platform/system.h"

#define REGION_MIN_BYTES ((size_t)4 << 20)
#define REGION_MAX_BYTES ((size_t)1 << 30)
/* A new region has this part of what is mapped: so much at most is out of reach with a claim. */
#define REGION_SHARE 4u
/* The same where the others are claimed at the moment, or each page costs memory at once. */
#define REGION_SMALL_SHARE 64u

hp_region *_Atomic hp_arena_regions[HP_REGION_LIMIT];
static _Atomic uint32_t region_count; /* shared: numbers given out */
static _Atomic size_t region_bytes;   /* shared: relaxed counter; of all that is mapped */

static uint32_t count_regions(void)
{
    /* relaxed: a bound for walking; an entry that is not there yet reads as NULL */
    uint32_t count = atomic_load_explicit(&region_count, memory_order_relaxed);
    return count < HP_REGION_LIMIT ? count : HP_REGION_LIMIT;
}

static bool take_from(hp_region *region, uint32_t pages, uint32_t align_pages,
                      hp_pages_wanted wanted, hp_run *run)
{
    uint32_t chunk = hp_region_allocate(region, pages, align_pages, wanted);
    if (chunk == HP_BFC_NONE) {
        return false;
    }
    run->start = hp_region_address(region, chunk);
    run->bytes = (size_t)pages * region->page_bytes;
    run->region = region;
    run->chunk = chunk;
    run->zeroed = !region->bfc.chunks[chunk].dirty;
    return true;
}

static bool has_room(const hp_region *region, uint32_t pages)
{
    /* relaxed: a hint; the region decides under the claim */
    return atomic_load_explicit(&region->largest_free_pages, memory_order_relaxed) >= pages;
}

/* What waits on the pending list the region has not heard of; recent runs may fit together. */
static bool is_worth_a_claim(const hp_region *region, bool room, uint32_t pages,
                             hp_pages_wanted wanted)
{
    if (wanted == HP_UNTOUCHED_PAGES || hp_region_is_abandoned(region)) {
        return room;
    }
    /* relaxed: hints; the region decides under the claim */
    uint64_t sizes = atomic_load_explicit(&region->recent_sizes, memory_order_relaxed);
    uint32_t dirty = atomic_load_explicit(&region->dirty_pages, memory_order_relaxed);
    bool may_serve = wanted == HP_TOUCHED_PAGES
                         ? (room && dirty >= pages) || (sizes & hp_recent_size_bit(pages)) != 0
                         : room || sizes != 0;
    return may_serve || !hp_stack_is_empty(&region->pending);
}

/* *busy: it was claimed by somebody else. */
static bool try_region(hp_region *region, uint32_t pages, uint32_t align_pages,
                       hp_pages_wanted wanted, hp_run *run, bool *busy)
{
    if (!hp_region_claim(region)) {
        *busy = true;
        return false;
    }
    bool taken = take_from(region, pages, align_pages, wanted, run);
    hp_region_release(region);
    if (taken) {
        hp_show_if_hidden(region, run->chunk);
    }
    return taken;
}

/* Walks the regions once. *busy: one that may have room was claimed. *roomy: the first that seems to have room. */
static bool take_from_any(uint32_t pages, uint32_t align_pages, hp_pages_wanted wanted, hp_run *run,
                          bool *busy, hp_region **roomy)
{
    uint32_t count = count_regions();
    hp_region *first_with_room = NULL;
    bool taken = false;
    for (uint32_t number = 0; number < count && !taken; number++) {
        hp_region *region = hp_arena_region(number);
        if (region == NULL) {
            *busy = true;
            continue;
        }
        bool room = has_room(region, pages);
        first_with_room = room && first_with_room == NULL ? region : first_with_room;
        taken = is_worth_a_claim(region, room, pages, wanted) &&
                try_region(region, pages, align_pages, wanted, run, busy);
    }
    *roomy = first_with_room;
    return taken;
}

hp_placed_run hp_arena_reuse(uint32_t pages)
{
    uint64_t size_bit = hp_recent_size_bit(pages);
    uint32_t count = count_regions();
    count = count < HP_ARENA_REUSE_LOOKS ? count : HP_ARENA_REUSE_LOOKS;
    for (uint32_t number = 0; number < count; number++) {
        hp_region *region = hp_arena_region(number);
        /* relaxed: a hint; the region decides under the claim */
        if (region != NULL &&
            (atomic_load_explicit(&region->recent_sizes, memory_order_relaxed) & size_bit) != 0) {
            return hp_region_reuse(region, pages);
        }
    }
    return (hp_placed_run){NULL, 0};
}

static bool list_region(hp_region *region)
{
    /* relaxed: only the number is taken here, P9 publishes the region */
    uint32_t number = atomic_fetch_add_explicit(&region_count, 1, memory_order_relaxed);
    if (number >= HP_REGION_LIMIT) {
        return false;
    }
    region->number = number;
    /* release: P9, pairs with hp_arena_region */
    atomic_store_explicit(&hp_arena_regions[number], region, memory_order_release);
    return true;
}

static _Atomic uintptr_t lowest_base; /* shared: relaxed, a hint; 0: no region yet */
static _Atomic bool born_resident;    /* shared: relaxed, what the newest range was like */

/* Below the lowest region, where the kernel would look next as well. */
static void *place_hint(size_t bytes)
{
    /* relaxed: a wrong hint costs one more mmap */
    uintptr_t known = atomic_load_explicit(&lowest_base, memory_order_relaxed);
    return known > bytes ? (void *)(known - bytes) : NULL;
}

/* Under the region's claim: others must not read what it says of its range. */
static void note_range(const hp_region *region)
{
    uintptr_t base = (uintptr_t)region->base;
    /* relaxed: hints */
    uintptr_t known = atomic_load_explicit(&lowest_base, memory_order_relaxed);
    if (known == 0 || base < known) {
        /* relaxed: as above */
        atomic_store_explicit(&lowest_base, base, memory_order_relaxed);
    }
    /* relaxed: as above */
    atomic_store_explicit(&born_resident, region->born_resident, memory_order_relaxed);
}

/* A region whose range was given back, claimed, or NULL. */
static hp_region *claim_unmapped(void)
{
    hp_region *region;
    for (uint32_t number = 0; (region = hp_arena_region_from(&number)) != NULL; number++) {
        /* relaxed: a hint; the core decides under the claim */
        if (atomic_load_explicit(&region->mapped_pages, memory_order_relaxed) != 0 ||
            !hp_region_claim(region)) {
            continue;
        }
        if (region->bfc.page_count == 0) {
            return region;
        }
        hp_region_release(region);
    }
    return NULL;
}

static void count_bytes(size_t bytes)
{
    /* relaxed: a size to aim at */
    atomic_fetch_add_explicit(&region_bytes, bytes, memory_order_relaxed);
}

/* Claimed; nobody else knows it before it is listed. NULL: the system refuses, or there are as many as can be. */
static hp_region *create_region(size_t bytes)
{
    hp_region *region = hp_region_create(bytes, place_hint(bytes));
    if (region == NULL || (hp_region_claim(region) && list_region(region))) {
        return region;
    }
    hp_region_unmap(region);
    return NULL;
}

/*
 * The region with a range of this size, claimed; a new one where it is NULL. NULL: the system refuses. A range comes
 * back to where it was, if that is free: the map keeps its leaves for good, so places that were never used before are
 * dear.
 */
static hp_region *map_region(hp_region *region, size_t bytes)
{
    if (region == NULL) {
        return create_region(bytes);
    }
    return hp_region_map(region, bytes, region->base) ? region : NULL;
}

static size_t aimed_bytes(bool busy)
{
    /* Under mlockall(MCL_FUTURE) every page of a new mapping is resident at once: few reserves then.
       relaxed: a size to aim at */
    bool small = busy || atomic_load_explicit(&born_resident, memory_order_relaxed);
    /* relaxed: as above */
    size_t aimed = atomic_load_explicit(&region_bytes, memory_order_relaxed) /
                   (small ? REGION_SMALL_SHARE : REGION_SHARE);
    aimed = aimed < REGION_MIN_BYTES ? REGION_MIN_BYTES : aimed;
    aimed = aimed > REGION_MAX_BYTES ? REGION_MAX_BYTES : aimed;
    return hp_round_up(aimed, HP_REGION_ALIGN_BYTES);
}

/* A claimed region with room for the request, or NULL. */
static hp_region *grow(size_t need_bytes, bool busy)
{
    hp_region *unmapped = claim_unmapped();
    if (unmapped == NULL && count_regions() == HP_REGION_LIMIT) {
        return NULL;
    }
    size_t least = hp_round_up(need_bytes, HP_REGION_ALIGN_BYTES);
    size_t bytes = aimed_bytes(busy);
    bytes = bytes < least ? least : bytes;
    for (;;) {
        hp_region *region = map_region(unmapped, bytes);
        if (region != NULL) {
            count_bytes(bytes);
            note_range(region);
            return region;
        }
        if (bytes == least || (unmapped == NULL && count_regions() == HP_REGION_LIMIT)) {
            break;
        }
        /* Back off by 0.9 and a little, so that every step makes progress. */
        bytes = (bytes / 10 * 9) & ~(HP_REGION_ALIGN_BYTES - 1);
        bytes = bytes < least ? least : bytes;
    }
    if (unmapped != NULL) {
        hp_region_release(unmapped);
    }
    return NULL;
}

static uint32_t align_pages_of(size_t align_bytes)
{
    return align_bytes <= hp_page_bytes() ? 1 : hp_pages_of(align_bytes);
}

bool hp_arena_take(size_t bytes, size_t align_bytes, hp_run *run)
{
    uint32_t pages = hp_pages_of(bytes);
    uint32_t align_pages = align_pages_of(align_bytes);
    bool busy = false;
    hp_region *roomy;
    if (take_from_any(pages, align_pages, HP_TOUCHED_PAGES, run, &busy, &roomy)) {
        return true;
    }
    /* Fresh pages come after the touched ones of all regions; what was claimed a moment ago may be open. */
    busy = false;
    if ((roomy != NULL && try_region(roomy, pages, align_pages, HP_ANY_PAGES, run, &busy)) ||
        take_from_any(pages, align_pages, HP_ANY_PAGES, run, &busy, &roomy)) {
        return true;
    }
    hp_region *region = grow(bytes, busy);
    if (region == NULL) {
        /* The system refuses. What was claimed a moment ago may have room: one more look. */
        return busy && take_from_any(pages, align_pages, HP_ANY_PAGES, run, &busy, &roomy);
    }
    bool taken = take_from(region, pages, align_pages, HP_ANY_PAGES, run);
    hp_region_release(region);
    return taken;
}

bool hp_arena_take_touched(size_t bytes, size_t align_bytes, hp_run *run)
{
    bool busy = false;
    hp_region *roomy;
    return take_from_any(hp_pages_of(bytes), align_pages_of(align_bytes), HP_TOUCHED_PAGES, run,
                         &busy, &roomy);
}

bool hp_arena_take_untouched(size_t bytes, size_t align_bytes, hp_run *run)
{
    bool busy = false;
    hp_region *roomy;
    return take_from_any(hp_pages_of(bytes), align_pages_of(align_bytes), HP_UNTOUCHED_PAGES, run,
                         &busy, &roomy) ||
           hp_arena_take(bytes, align_bytes, run);
}

hp_region *hp_arena_region_from(uint32_t *number)
{
    uint32_t count = count_regions();
    hp_region *region = NULL;
    for (; *number < count; ++*number) {
        region = hp_arena_region(*number);
        if (region != NULL) {
            break;
        }
    }
    return region;
}

/* Does something to every region that can be claimed; the sum of what it returns. */
static size_t for_each_region(size_t (*act)(hp_region *region))
{
    size_t bytes = 0;
    hp_region *region;
    for (uint32_t number = 0; (region = hp_arena_region_from(&number)) != NULL; number++) {
        if (hp_region_claim(region)) {
            bytes += act(region);
            hp_region_release(region);
        }
    }
    return bytes;
}

size_t hp_arena_unmap_idle(void)
{
    size_t unmapped_bytes = for_each_region(hp_region_unmap);
    count_bytes(-unmapped_bytes);
    return unmapped_bytes;
}

/* As the holder of its claim last said; the core decides under the claim. */
static bool looks_spare(const hp_region *region)
{
    /* relaxed: hints */
    uint32_t mapped_pages = atomic_load_explicit(&region->mapped_pages, memory_order_relaxed);
    return mapped_pages != 0 &&
           atomic_load_explicit(&region->free_pages, memory_order_relaxed) == mapped_pages &&
           atomic_load_explicit(&region->dirty_pages, memory_order_relaxed) == 0 &&
           atomic_load_explicit(&region->recent_sizes, memory_order_relaxed) == 0;
}

size_t hp_arena_unmap_spare(void)
{
    size_t unmapped_bytes = 0;
    bool one_stays = false;
    hp_region *region;
    for (uint32_t number = 0; (region = hp_arena_region_from(&number)) != NULL; number++) {
        if (!looks_spare(region)) {
            continue;
        }
        if (one_stays && hp_region_claim(region)) {
            unmapped_bytes += hp_region_unmap(region);
            hp_region_release(region);
        }
        one_stays = true;
    }
    count_bytes(-unmapped_bytes);
    return unmapped_bytes;
}

size_t hp_arena_purge(void)
{
    return for_each_region(hp_region_purge);
}

/* Its hints would never be set anew. */
static void abandon(hp_region *region)
{
    /* relaxed: there is one thread */
    atomic_store_explicit(&region->abandoned, true, memory_order_relaxed);
    /* relaxed: as above */
    atomic_store_explicit(&region->watched, false, memory_order_relaxed);
    /* relaxed: as above */
    atomic_store_explicit(&region->largest_free_pages, 0, memory_order_relaxed);
    /* relaxed: as above */
    atomic_store_explicit(&region->dirty_pages, 0, memory_order_relaxed);
    /* relaxed: as above */
    atomic_store_explicit(&region->recent_sizes, 0, memory_order_relaxed);
}

void hp_arena_after_fork(void)
{
    hp_region *region;
    for (uint32_t number = 0; (region = hp_arena_region_from(&number)) != NULL; number++) {
        if (hp_claim_is_taken(&region->claim)) {
            abandon(region);
        }
    }
}
