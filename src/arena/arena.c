#include "arena/arena.h"

#include "metadata/address_map.h"
#include "platform/system.h"

#define REGION_MIN_BYTES ((size_t)4 << 20)
#define REGION_MAX_BYTES ((size_t)1 << 30)
#define REGION_LIMIT 65536u

static hp_region *_Atomic regions[REGION_LIMIT]; /* shared: P9; NULL until the number's owner fills it */
static _Atomic uint32_t region_count;            /* shared: numbers given out */
static _Atomic size_t region_bytes;              /* shared: relaxed counter; of all listed regions */

hp_region *hp_arena_region(uint32_t number)
{
    /* acquire: P9, pairs with list_region */
    return number < REGION_LIMIT ? atomic_load_explicit(&regions[number], memory_order_acquire)
                                 : NULL;
}

static uint32_t count_regions(void)
{
    /* relaxed: a bound for walking; an entry that is not there yet reads as NULL */
    uint32_t count = atomic_load_explicit(&region_count, memory_order_relaxed);
    return count < REGION_LIMIT ? count : REGION_LIMIT;
}

static bool take_from(hp_region *region, uint32_t pages, uint32_t align_pages, hp_run *run)
{
    uint32_t chunk = hp_region_allocate(region, pages, align_pages);
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

/* Walks the regions once. *busy: one that may have room was claimed by somebody else. */
static bool take_from_any(uint32_t pages, uint32_t align_pages, hp_run *run, bool *busy)
{
    uint32_t count = count_regions();
    for (uint32_t number = 0; number < count; number++) {
        hp_region *region = hp_arena_region(number);
        if (region == NULL) {
            *busy = true;
            continue;
        }
        /* relaxed: a hint; the core decides under the claim. What is pending it has not heard of */
        if (atomic_load_explicit(&region->largest_free_pages, memory_order_relaxed) < pages &&
            hp_stack_is_empty(&region->pending)) {
            continue;
        }
        if (!hp_region_claim(region)) {
            *busy = true;
            continue;
        }
        bool taken = take_from(region, pages, align_pages, run);
        hp_region_release(region);
        if (taken) {
            return true;
        }
    }
    return false;
}

static bool list_region(hp_region *region)
{
    /* relaxed: only the number is taken here, P9 publishes the region */
    uint32_t number = atomic_fetch_add_explicit(&region_count, 1, memory_order_relaxed);
    if (number >= REGION_LIMIT) {
        return false;
    }
    region->number = number;
    /* relaxed: a size to aim at */
    atomic_fetch_add_explicit(&region_bytes, (size_t)region->page_count * region->page_bytes,
                              memory_order_relaxed);
    /* release: P9, pairs with hp_arena_region */
    atomic_store_explicit(&regions[number], region, memory_order_release);
    return true;
}

/* Below the lowest region, where the kernel would look next as well. */
static void *place_hint(size_t bytes)
{
    static _Atomic uintptr_t lowest; /* shared: relaxed, a hint */
    uint32_t count = count_regions();
    hp_region *newest = count == 0 ? NULL : hp_arena_region(count - 1);
    if (newest == NULL) {
        return NULL;
    }
    uintptr_t base = (uintptr_t)newest->base;
    /* relaxed: a wrong hint costs one more mmap */
    uintptr_t known = atomic_load_explicit(&lowest, memory_order_relaxed);
    if (known == 0 || base < known) {
        known = base;
        /* relaxed: as above */
        atomic_store_explicit(&lowest, known, memory_order_relaxed);
    }
    return known > bytes ? (void *)(known - bytes) : NULL;
}

static hp_region *grow(size_t need_bytes, bool busy)
{
    size_t least = hp_round_up(need_bytes, HP_REGION_ALIGN_BYTES);
    size_t bytes = REGION_MIN_BYTES;
    /* Under mlockall(MCL_FUTURE) every page of a new mapping is resident at once: no reserves then. */
    hp_region *first = hp_arena_region(0);
    bool locked = first != NULL && first->born_resident;
    if (!busy && !locked) {
        /* relaxed: a size to aim at */
        size_t total = atomic_load_explicit(&region_bytes, memory_order_relaxed);
        bytes = total < REGION_MIN_BYTES ? REGION_MIN_BYTES : total;
        bytes = bytes > REGION_MAX_BYTES ? REGION_MAX_BYTES : bytes;
        bytes = hp_round_up(bytes, HP_REGION_ALIGN_BYTES);
    }
    for (;;) {
        bytes = bytes < least ? least : bytes;
        hp_region *region = hp_region_create(bytes, place_hint(bytes));
        if (region != NULL || bytes == least) {
            return region;
        }
        /* Back off by 0.9 and a little, so that every step makes progress. */
        bytes = (bytes / 10 * 9) & ~(HP_REGION_ALIGN_BYTES - 1);
    }
}

bool hp_arena_take(size_t bytes, size_t align_bytes, hp_run *run)
{
    uint32_t pages = (uint32_t)(bytes / hp_page_bytes());
    uint32_t align_pages =
        align_bytes <= hp_page_bytes() ? 1 : (uint32_t)(align_bytes / hp_page_bytes());
    bool busy = false;
    if (take_from_any(pages, align_pages, run, &busy)) {
        return true;
    }
    hp_region *region = grow(bytes, busy);
    if (region == NULL) {
        /* The system refuses. What was claimed a moment ago may have room: one more look. */
        return busy && take_from_any(pages, align_pages, run, &busy);
    }
    /* Nobody else knows the region yet, so the claim is ours and the request fits. */
    bool taken = hp_region_claim(region) && list_region(region) &&
                 take_from(region, pages, align_pages, run);
    hp_region_release(region);
    return taken;
}

size_t hp_arena_purge(void)
{
    size_t purged_bytes = 0;
    uint32_t count = count_regions();
    for (uint32_t number = 0; number < count; number++) {
        hp_region *region = hp_arena_region(number);
        if (region != NULL && hp_region_claim(region)) {
            purged_bytes += hp_region_purge(region);
            hp_region_release(region);
        }
    }
    return purged_bytes;
}
