/*
 * A naive model of the BFC core, to test it against. It keeps pages, not chunks: one entry a page,
 * a scan of all pages for every request, and no trees, bins, records or merging. Two free pages
 * side by side are in the same free run because they are side by side.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "arena/bfc.h"

#define MOST_PAGES 4096u

typedef struct model_page {
    uint32_t used_pages;  /* of the used run that the page belongs to; 0 when it is free */
    bool tainted;         /* free page: lies in its run's dirty range */
    uint64_t freed_at_ms; /* tainted page: free of its run's larger part; does not wrap */
} model_page;

typedef struct model_run {
    uint32_t start_page;
    uint32_t page_count;
    bool dirty;
    uint32_t dirty_pages;
    uint64_t freed_at_ms;
} model_run;

static model_page pages[MOST_PAGES];
static uint32_t page_count;
static uint32_t split_remainder_pages;

static inline void model_init(uint32_t count, uint32_t remainder_pages)
{
    memset(pages, 0, sizeof pages);
    page_count = count;
    split_remainder_pages = remainder_pages;
}

static inline model_run model_free_run_at(uint32_t start_page)
{
    model_run run = {.start_page = start_page};
    for (uint32_t page = start_page; page < page_count && pages[page].used_pages == 0; page++) {
        run.page_count++;
        if (pages[page].tainted) {
            run.dirty = true;
            run.dirty_pages++;
            run.freed_at_ms = pages[page].freed_at_ms;
        }
    }
    return run;
}

static inline bool model_fits_better(const model_run *one, const model_run *other)
{
    if (one->page_count != other->page_count) {
        return one->page_count < other->page_count;
    }
    if (one->dirty != other->dirty) {
        return one->dirty;
    }
    return one->start_page < other->start_page;
}

/* The best fit that is a worse fit than `after`; page_count 0 when there is none. */
static inline model_run model_best_fit(uint32_t wanted_pages, const model_run *after)
{
    model_run best = {0};
    uint32_t page = 0;
    while (page < page_count) {
        if (pages[page].used_pages != 0) {
            page += pages[page].used_pages;
            continue;
        }
        model_run run = model_free_run_at(page);
        page += run.page_count;
        if (run.page_count >= wanted_pages && (after == NULL || model_fits_better(after, &run)) &&
            (best.page_count == 0 || model_fits_better(&run, &best))) {
            best = run;
        }
    }
    return best;
}

static inline uint32_t model_aligned_start(const model_run *run, uint32_t align_pages)
{
    return (run->start_page + align_pages - 1) / align_pages * align_pages;
}

static inline model_run model_find(uint32_t wanted_pages, uint32_t align_pages)
{
    model_run run = model_best_fit(wanted_pages, NULL);
    for (uint32_t tries = 0; tries < HP_BFC_ALIGNED_TRIES && run.page_count != 0; tries++) {
        uint32_t end_page = model_aligned_start(&run, align_pages) + wanted_pages;
        if (end_page <= run.start_page + run.page_count) {
            return run;
        }
        model_run refused = run;
        run = model_best_fit(wanted_pages, &refused);
    }
    return model_best_fit(wanted_pages + align_pages - 1, NULL);
}

/* Whether one of the pages may hold data. */
static inline bool model_use(uint32_t start_page, uint32_t used_pages)
{
    bool dirty = false;
    for (uint32_t page = start_page; page < start_page + used_pages; page++) {
        dirty = dirty || pages[page].tainted;
        pages[page].used_pages = used_pages;
    }
    return dirty;
}

/* The run that every other fits better than. */
static inline model_run model_worst_fit(void)
{
    model_run worst = {0};
    for (uint32_t page = 0; page < page_count;) {
        if (pages[page].used_pages != 0) {
            page += pages[page].used_pages;
            continue;
        }
        model_run run = model_free_run_at(page);
        page += run.page_count;
        if (worst.page_count == 0 || model_fits_better(&worst, &run)) {
            worst = run;
        }
    }
    return worst;
}

/* The used run; whatever of the free run lies before start_page or behind the wanted pages stays free. */
static inline model_run model_cut(const model_run *run, uint32_t start_page, uint32_t wanted_pages)
{
    uint32_t chunk_pages = run->start_page + run->page_count - start_page;
    bool cut =
        chunk_pages - wanted_pages >= split_remainder_pages || chunk_pages >= 2 * wanted_pages;
    model_run used = {.start_page = start_page, .page_count = cut ? wanted_pages : chunk_pages};
    used.dirty = model_use(start_page, used.page_count);
    return used;
}

static inline model_run model_allocate_untouched(uint32_t wanted_pages, uint32_t align_pages)
{
    model_run run = model_worst_fit();
    model_run rest = run;
    for (uint32_t page = run.start_page; page < run.start_page + run.page_count; page++) {
        rest.start_page = pages[page].tainted ? page + 1 : rest.start_page;
    }
    uint32_t start_page = model_aligned_start(&rest, align_pages);
    if (run.page_count == 0 || start_page + wanted_pages > run.start_page + run.page_count) {
        return (model_run){0};
    }
    return model_cut(&run, start_page, wanted_pages);
}

/* The run that is handed out; page_count 0 when there is none. */
static inline model_run model_allocate(uint32_t wanted_pages, uint32_t align_pages)
{
    model_run run = model_find(wanted_pages, align_pages);
    if (run.page_count == 0) {
        return run;
    }
    return model_cut(&run, model_aligned_start(&run, align_pages), wanted_pages);
}

/* The dirty range from the lower run's first page to the upper run's last, with one age. */
static inline void model_join(const model_run *low, const model_run *high)
{
    bool high_counts =
        high->dirty_pages > low->dirty_pages ||
        (high->dirty_pages == low->dirty_pages && high->freed_at_ms > low->freed_at_ms);
    uint64_t freed_at_ms = high_counts ? high->freed_at_ms : low->freed_at_ms;
    uint32_t end_page = high->start_page + high->page_count;
    uint32_t first = end_page;
    uint32_t last = 0;
    for (uint32_t page = low->start_page; page < end_page; page++) {
        if (pages[page].tainted) {
            first = page < first ? page : first;
            last = page;
        }
    }
    for (uint32_t page = first; page <= last; page++) {
        pages[page].tainted = true;
        pages[page].freed_at_ms = freed_at_ms;
    }
}

/* First with the run above, then with the run below. */
static inline void model_free(uint32_t start_page, uint32_t count, bool dirty, uint64_t now_ms)
{
    uint32_t below = start_page;
    while (below > 0 && pages[below - 1].used_pages == 0) {
        below--;
    }
    model_run upper = model_free_run_at(start_page + count);
    model_run lower = model_free_run_at(below); /* up to start_page, which is still in use */
    for (uint32_t page = start_page; page < start_page + count; page++) {
        pages[page] = (model_page){.tainted = dirty, .freed_at_ms = now_ms};
    }
    model_run freed = {start_page, count, dirty, dirty ? count : 0, now_ms};
    if (upper.page_count > 0) {
        model_join(&freed, &upper);
        freed = model_free_run_at(start_page);
    }
    if (lower.page_count > 0) {
        model_join(&lower, &freed);
    }
}

static inline bool model_extend(model_run *used, uint32_t wanted_pages)
{
    uint32_t end_page = used->start_page + used->page_count;
    model_run neighbour = model_free_run_at(end_page);
    if (used->page_count + neighbour.page_count < wanted_pages) {
        return false;
    }
    bool dirty = model_use(end_page, wanted_pages - used->page_count);
    used->dirty = used->dirty || dirty;
    for (uint32_t page = used->start_page; page < used->start_page + wanted_pages; page++) {
        pages[page].used_pages = wanted_pages;
    }
    used->page_count = wanted_pages;
    return true;
}

static inline void model_shrink(model_run *used, uint32_t wanted_pages, uint64_t now_ms)
{
    uint32_t tail_pages = used->page_count - wanted_pages;
    for (uint32_t page = used->start_page; page < used->start_page + wanted_pages; page++) {
        pages[page].used_pages = wanted_pages;
    }
    used->page_count = wanted_pages;
    if (tail_pages > 0) {
        model_free(used->start_page + wanted_pages, tail_pages, true, now_ms);
    }
}

static inline void model_mark_clean(const model_run *run)
{
    for (uint32_t page = run->start_page; page < run->start_page + run->page_count; page++) {
        pages[page].tainted = false;
    }
}

/* The upper end of the run's dirty range, which is not empty. */
static inline model_run model_take_dirty(const model_run *run, uint32_t most_pages)
{
    uint32_t end_page = run->start_page + run->page_count;
    while (!pages[end_page - 1].tainted) {
        end_page--;
    }
    uint32_t count = run->dirty_pages < most_pages ? run->dirty_pages : most_pages;
    model_use(end_page - count, count);
    return (model_run){.start_page = end_page - count, .page_count = count, .dirty = true};
}
