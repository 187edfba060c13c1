#include "arena/purge.h"

#include "arena/arena.h"
#include "platform/system.h"

typedef struct purge_run {
    hp_region *region;
    uint32_t chunk;
    uint32_t page_count;
    char *start;
} purge_run;

/* The runs that are out. Static, so that a forked child finds those that its parent had out. */
static purge_run runs[HP_PURGE_RUNS];
static uint32_t run_count;

typedef struct purge_order {
    uint64_t due_pages; /* still */
    uint32_t now_ms;
    uint32_t least_age_ms;
} purge_order;

static uint32_t dirty_pages_of(const hp_region *region)
{
    /* relaxed: a statistic that the holder of the claim published */
    return atomic_load_explicit(&region->dirty_pages, memory_order_relaxed);
}

uint64_t hp_purge_dirty_pages(void)
{
    uint64_t pages = 0;
    const hp_region *region;
    for (uint32_t number = 0; (region = hp_arena_region_from(&number)) != NULL; number++) {
        pages += dirty_pages_of(region);
    }
    return pages;
}

static bool is_watched(const hp_region *region)
{
    /* relaxed: R5; a ring tells of what is missed here */
    return atomic_load_explicit(&region->watched, memory_order_relaxed);
}

void hp_purge_settle(void)
{
    hp_region *region;
    for (uint32_t number = 0; (region = hp_arena_region_from(&number)) != NULL; number++) {
        if (is_watched(region) && hp_region_claim(region)) {
            hp_region_settle(region);
            hp_region_release(region);
        }
    }
}

static bool is_old_enough(const hp_bfc_chunk *chunk, const purge_order *order)
{
    return hp_have_passed(order->least_age_ms, chunk->freed_at_ms, order->now_ms);
}

/* A part of the chunk's dirty pages comes out. Under the claim; returns the pages. */
static uint32_t take_out(hp_region *region, uint32_t chunk, uint64_t most_pages)
{
    uint64_t room_pages = HP_PURGE_BATCH_BYTES / region->page_bytes;
    most_pages = most_pages < HP_PURGE_LEAST_PAGES ? HP_PURGE_LEAST_PAGES : most_pages;
    most_pages = most_pages < room_pages ? most_pages : room_pages;
    uint32_t taken = hp_bfc_take_dirty(&region->bfc, chunk, (uint32_t)most_pages);
    region->core_changed = true;
    purge_run *run = &runs[run_count];
    *run = (purge_run){.region = region,
                       .chunk = taken,
                       .page_count = region->bfc.chunks[taken].page_count,
                       .start = hp_region_address(region, taken)};
    /* A fork copies this at any moment: what counts is complete. */
    HP_SIGNAL_BARRIER();
    run_count++;
    return run->page_count;
}

/* Fills the batch from where the last look ended; the whole table was seen: true. Under the claim. */
static bool fill_batch(hp_region *region, const purge_order *order)
{
    const hp_bfc *bfc = &region->bfc;
    if (order->due_pages == 0 || bfc->dirty_pages == 0 || region->keeps_pages) {
        return true;
    }
    uint64_t taken_pages = 0;
    uint64_t room_pages = HP_PURGE_BATCH_BYTES / region->page_bytes;
    uint32_t looks = bfc->record_count < HP_PURGE_LOOKS ? bfc->record_count : HP_PURGE_LOOKS;
    for (; looks > 0; looks--) {
        if (region->purge_cursor >= bfc->record_count) {
            region->purge_cursor = 0;
        }
        const hp_bfc_chunk *chunk = &bfc->chunks[region->purge_cursor];
        /* Of a chunk that is larger than what may be out, the rest comes with the next batch. */
        while (chunk->state == HP_BFC_FREE && chunk->dirty && is_old_enough(chunk, order)) {
            if (run_count == HP_PURGE_RUNS || taken_pages >= order->due_pages ||
                taken_pages >= room_pages) {
                return false;
            }
            taken_pages += take_out(region, region->purge_cursor, order->due_pages - taken_pages);
        }
        region->purge_cursor++;
    }
    return bfc->record_count <= HP_PURGE_LOOKS;
}

/* Whether there is nothing to come back for: the region is not watched any more. Under the claim. */
static bool is_done(hp_region *region)
{
    return !hp_region_has_work(region) && hp_region_unwatch(region);
}

/*
 * The places of the runs in the order of their addresses, so that neighbours lie side by side. The runs stay
 * where they are: a fork copies them at any moment.
 */
static void sort_places(uint8_t *places)
{
    for (uint32_t run = 0; run < run_count; run++) {
        uint32_t place = run;
        for (; place > 0 && runs[places[place - 1]].start > runs[run].start; place--) {
            places[place] = places[place - 1];
        }
        places[place] = (uint8_t)run;
    }
}

static size_t bytes_of(const purge_run *run)
{
    return (size_t)run->page_count * run->region->page_bytes;
}

/* How many runs from this place on lie side by side, and their bytes. */
static uint32_t count_neighbours(const uint8_t *places, uint32_t first, size_t *bytes)
{
    const char *start = runs[places[first]].start;
    uint32_t count = 0;
    *bytes = 0;
    while (first + count < run_count && runs[places[first + count]].start == start + *bytes) {
        *bytes += bytes_of(&runs[places[first + count]]);
        count++;
    }
    return count;
}

/* The runs of a range: from this place on, so many. They are ours: nobody else reads or writes this field. */
static uint64_t note_given_back(const uint8_t *places, uint32_t count, bool gone)
{
    uint64_t pages = 0;
    for (uint32_t place = 0; place < count; place++) {
        const purge_run *run = &runs[places[place]];
        run->region->bfc.chunks[run->chunk].given_back = gone;
        pages += gone ? run->page_count : 0;
    }
    return pages;
}

/* Without a claim. What the system refuses stays dirty. Returns the pages that went back. */
static uint64_t discard_runs(bool *refused)
{
    uint8_t places[HP_PURGE_RUNS] = {0};
    uint32_t run_counts[HP_PURGE_RUNS];
    hp_address_range ranges[HP_PURGE_RUNS];
    unsigned range_count = 0;
    sort_places(places);
    for (uint32_t first = 0; first < run_count; first += run_counts[range_count++]) {
        ranges[range_count].address = runs[places[first]].start;
        run_counts[range_count] = count_neighbours(places, first, &ranges[range_count].bytes);
    }
    uint64_t pages = 0;
    uint32_t place = 0;
    for (unsigned range = 0; range < range_count;) {
        unsigned refused_one = range + hp_system->discard_all(&ranges[range], range_count - range);
        for (; range <= refused_one && range < range_count; range++) {
            pages += note_given_back(&places[place], run_counts[range], range < refused_one);
            place += run_counts[range];
        }
        *refused = *refused || refused_one < range_count;
    }
    return pages;
}

static void put_back_runs(void)
{
    while (run_count > 0) {
        purge_run run = runs[--run_count];
        /* In a forked child: a run that is lost is better than one that is freed twice. */
        HP_SIGNAL_BARRIER();
        hp_region_put_back(run.region, run.chunk);
    }
}

/* One batch; true: there may be more at once. *remains: the region stays watched. */
static bool purge_batch(hp_region *region, purge_order *order, bool *remains)
{
    if (!hp_region_claim(region)) {
        *remains = true;
        return false;
    }
    bool seen_all = fill_batch(region, order);
    *remains = run_count > 0 || !is_done(region);
    hp_region_release(region);
    bool full = run_count > 0 && !seen_all;
    bool refused = false;
    uint64_t pages = discard_runs(&refused);
    put_back_runs();
    if (refused && hp_region_claim(region)) {
        region->keeps_pages = true;
        region->core_changed = true;
        hp_region_release(region);
    }
    order->due_pages -= pages < order->due_pages ? pages : order->due_pages;
    return full && !refused;
}

uint64_t hp_purge_regions(uint64_t due_pages, uint32_t now_ms, uint32_t least_age_ms, bool *remains)
{
    purge_order order = {due_pages, now_ms, least_age_ms};
    hp_region *region;
    for (uint32_t number = 0; (region = hp_arena_region_from(&number)) != NULL; number++) {
        if (!is_watched(region)) {
            continue;
        }
        bool region_remains = true;
        if (order.due_pages == 0 && dirty_pages_of(region) > 0) {
            *remains = true;
            continue;
        }
        for (unsigned batch = 0; batch < HP_PURGE_BATCHES; batch++) {
            if (!purge_batch(region, &order, &region_remains) || order.due_pages == 0) {
                break;
            }
        }
        *remains = *remains || region_remains;
    }
    return due_pages - order.due_pages;
}

size_t hp_region_purge(hp_region *region)
{
    size_t purged_bytes = 0;
    hp_region_settle(region);
    hp_bfc_chunk *chunks = region->bfc.chunks;
    /* Handle 0 stays the chunk at page 0: merges keep the lower record. */
    uint32_t first = region->bfc.page_count == 0 ? HP_BFC_NONE : 0;
    for (uint32_t chunk = first; chunk != HP_BFC_NONE; chunk = chunks[chunk].next) {
        const hp_bfc_chunk *record = &chunks[chunk];
        if (record->state != HP_BFC_FREE || !record->dirty) {
            continue;
        }
        char *start = region->base + (size_t)record->dirty_start_page * region->page_bytes;
        size_t bytes = hp_bfc_dirty_pages_of(record) * region->page_bytes;
        if (hp_system->discard(start, bytes)) {
            hp_bfc_mark_clean(&region->bfc, chunk);
            region->core_changed = true;
            region->keeps_pages = false;
            purged_bytes += bytes;
        }
    }
    return purged_bytes;
}

void hp_purge_after_fork(void)
{
    put_back_runs();
}
