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
    bool tainted;         /* free page: may hold data, or its run was cut out of one that may */
    uint64_t freed_at_ms; /* tainted page: youngest free of its run; does not wrap */
} model_page;

typedef struct model_run {
    uint32_t start_page;
    uint32_t page_count;
    bool dirty;
    uint64_t freed_at_ms;
} model_run;

static model_page pages[MOST_PAGES];
static uint32_t page_count;
static uint32_t touched_end_page; /* no page from here on was ever used */
static uint32_t split_remainder_pages;

static inline void model_init(uint32_t count, uint32_t remainder_pages)
{
    memset(pages, 0, sizeof pages);
    page_count = count;
    touched_end_page = 0;
    split_remainder_pages = remainder_pages;
}

static inline model_run model_free_run_at(uint32_t start_page)
{
    model_run run = {.start_page = start_page};
    for (uint32_t page = start_page; page < page_count && pages[page].used_pages == 0; page++) {
        run.page_count++;
        if (pages[page].tainted) {
            run.dirty = true;
            if (pages[page].freed_at_ms > run.freed_at_ms) {
                run.freed_at_ms = pages[page].freed_at_ms;
            }
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

/* What is left of a run that was cut is as dirty and as old as the whole run was. */
static inline void model_use(const model_run *run, uint32_t start_page, uint32_t used_pages)
{
    uint32_t run_end_page = run->start_page + run->page_count;
    if (start_page + used_pages > touched_end_page) {
        touched_end_page = start_page + used_pages;
    }
    for (uint32_t page = run->start_page; page < run_end_page; page++) {
        pages[page].tainted = run->dirty && page < touched_end_page;
        pages[page].freed_at_ms = run->freed_at_ms;
        if (page >= start_page && page < start_page + used_pages) {
            pages[page].used_pages = used_pages;
        }
    }
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
    model_run used = {.start_page = start_page,
                      .page_count = cut ? wanted_pages : chunk_pages,
                      .dirty = run->dirty && start_page < touched_end_page};
    model_use(run, start_page, used.page_count);
    return used;
}

static inline model_run model_allocate_untouched(uint32_t wanted_pages, uint32_t align_pages)
{
    model_run run = model_worst_fit();
    model_run rest = run;
    if (rest.start_page < touched_end_page) {
        rest.start_page = touched_end_page;
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

static inline void model_free(uint32_t start_page, uint32_t count, uint64_t now_ms)
{
    for (uint32_t page = start_page; page < start_page + count; page++) {
        pages[page] = (model_page){.tainted = true, .freed_at_ms = now_ms};
    }
}

static inline bool model_extend(model_run *used, uint32_t wanted_pages)
{
    uint32_t end_page = used->start_page + used->page_count;
    model_run neighbour = model_free_run_at(end_page);
    if (used->page_count + neighbour.page_count < wanted_pages) {
        return false;
    }
    used->dirty = used->dirty || (neighbour.dirty && end_page < touched_end_page);
    model_use(&neighbour, end_page, wanted_pages - used->page_count);
    for (uint32_t page = used->start_page; page < used->start_page + wanted_pages; page++) {
        pages[page].used_pages = wanted_pages;
    }
    used->page_count = wanted_pages;
    return true;
}

static inline void model_shrink(model_run *used, uint32_t wanted_pages, uint64_t now_ms)
{
    model_free(used->start_page + wanted_pages, used->page_count - wanted_pages, now_ms);
    for (uint32_t page = used->start_page; page < used->start_page + wanted_pages; page++) {
        pages[page].used_pages = wanted_pages;
    }
    used->page_count = wanted_pages;
}

static inline void model_mark_clean(const model_run *run)
{
    for (uint32_t page = run->start_page; page < run->start_page + run->page_count; page++) {
        pages[page].tainted = false;
    }
}
