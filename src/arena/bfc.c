#include "arena/bfc.h"

#include "arena/bfc_tree.h"

size_t hp_bfc_table_bytes(uint32_t page_count)
{
    return (size_t)page_count * sizeof(hp_bfc_chunk);
}

/* There are never more chunks than pages, so a table that holds one record per page suffices. */
static uint32_t take_record(hp_bfc *bfc)
{
    uint32_t record = bfc->first_spare;
    if (record == HP_BFC_NONE) {
        return bfc->record_count++;
    }
    bfc->first_spare = bfc->chunks[record].left;
    return record;
}

static void give_back_record(hp_bfc *bfc, uint32_t record)
{
    bfc->chunks[record].state = HP_BFC_SPARE;
    bfc->chunks[record].left = bfc->first_spare;
    bfc->first_spare = record;
}

void hp_bfc_init(hp_bfc *bfc, void *table, uint32_t page_count)
{
    bfc->chunks = table;
    bfc->page_count = page_count;
    bfc->record_count = 1;
    bfc->first_spare = HP_BFC_NONE;
    bfc->free_pages = page_count;
    bfc->dirty_pages = 0;
    bfc->hidden_chunks = 0;
    bfc->split_remainder_pages = 1;
    bfc->chunks[0] = (hp_bfc_chunk){.page_count = page_count,
                                    .previous = HP_BFC_NONE,
                                    .next = HP_BFC_NONE,
                                    .left = HP_BFC_NONE,
                                    .right = HP_BFC_NONE,
                                    .state = HP_BFC_FREE};
    hp_bfc_bins_init(bfc);
    hp_bfc_bins_insert(bfc, 0);
}

void hp_bfc_init_empty(hp_bfc *bfc)
{
    *bfc = (hp_bfc){.first_spare = HP_BFC_NONE, .split_remainder_pages = 1};
    hp_bfc_bins_init(bfc);
}

/* A free chunk enters the tree of its bin, and its dirty pages the sum; a hidden one is counted. */
static void enter(hp_bfc *bfc, uint32_t chunk)
{
    bfc->dirty_pages += hp_bfc_dirty_pages_of(&bfc->chunks[chunk]);
    bfc->hidden_chunks += bfc->chunks[chunk].hiding != HP_BFC_SHOWN;
    hp_bfc_bins_insert(bfc, chunk);
}

static void leave(hp_bfc *bfc, uint32_t chunk)
{
    hp_bfc_bins_remove(bfc, chunk);
    bfc->dirty_pages -= hp_bfc_dirty_pages_of(&bfc->chunks[chunk]);
    bfc->hidden_chunks -= bfc->chunks[chunk].hiding != HP_BFC_SHOWN;
}

/* The free chunk was cut: of its dirty range remains what lies in it. */
static void clip_dirty_range(hp_bfc_chunk *chunk)
{
    uint32_t start = chunk->start_page;
    uint32_t end = start + chunk->page_count;
    chunk->dirty_start_page = chunk->dirty_start_page < start ? start : chunk->dirty_start_page;
    chunk->dirty_end_page = chunk->dirty_end_page > end ? end : chunk->dirty_end_page;
    chunk->dirty = chunk->dirty && chunk->dirty_start_page < chunk->dirty_end_page;
}

/*
 * The chunk (in no tree) keeps its first page_count pages; the rest becomes a chunk above it, with
 * the same state and age. The lower part keeps the record, so that record 0 is always
 * the chunk at page 0 and a walk in physical order knows where to start.
 */
static uint32_t split(hp_bfc *bfc, uint32_t chunk, uint32_t page_count)
{
    uint32_t upper = take_record(bfc);
    hp_bfc_chunk *low = &bfc->chunks[chunk];
    hp_bfc_chunk *high = &bfc->chunks[upper];

    *high = *low;
    high->start_page += page_count;
    high->page_count -= page_count;
    high->previous = chunk;
    if (high->next != HP_BFC_NONE) {
        bfc->chunks[high->next].previous = upper;
    }
    low->page_count = page_count;
    low->next = upper;
    if (low->state == HP_BFC_FREE) {
        clip_dirty_range(low);
        clip_dirty_range(high);
    }
    return upper;
}

/* That of the larger part; of two equal ones the younger counts. The clock wraps. */
static uint32_t joined_freed_ms(const hp_bfc_chunk *one, const hp_bfc_chunk *other)
{
    uint32_t one_pages = hp_bfc_dirty_pages_of(one);
    uint32_t other_pages = hp_bfc_dirty_pages_of(other);
    bool one_is_younger = (int32_t)(one->freed_at_ms - other->freed_at_ms) > 0;
    bool one_counts = one_pages != other_pages ? one_pages > other_pages : one_is_younger;
    return one_counts ? one->freed_at_ms : other->freed_at_ms;
}

/* Two free chunks are about to be one: the range and the age of the lower one become those of both. */
static void join_dirty_ranges(hp_bfc_chunk *low, const hp_bfc_chunk *high)
{
    if (!high->dirty) {
        return;
    }
    low->freed_at_ms = low->dirty ? joined_freed_ms(low, high) : high->freed_at_ms;
    low->dirty_start_page = low->dirty ? low->dirty_start_page : high->dirty_start_page;
    low->dirty_end_page = high->dirty_end_page;
}

/* Two neighbours, in no tree, become one chunk under the lower one's handle. */
static uint32_t merge(hp_bfc *bfc, uint32_t lower, uint32_t upper)
{
    hp_bfc_chunk *low = &bfc->chunks[lower];
    hp_bfc_chunk *high = &bfc->chunks[upper];

    if (low->state == HP_BFC_FREE) {
        join_dirty_ranges(low, high);
    }
    low->dirty = low->dirty || high->dirty;
    low->hiding = low->hiding == high->hiding ? low->hiding : HP_BFC_PARTLY_HIDDEN;
    low->page_count += high->page_count;
    low->next = high->next;
    if (high->next != HP_BFC_NONE) {
        bfc->chunks[high->next].previous = lower;
    }
    give_back_record(bfc, upper);
    return lower;
}

static bool is_free(const hp_bfc *bfc, uint32_t chunk)
{
    return chunk != HP_BFC_NONE && bfc->chunks[chunk].state == HP_BFC_FREE;
}

/* Pages from the chunk's start to the first multiple of align_pages. */
static uint32_t pages_before_aligned(const hp_bfc_chunk *chunk, uint32_t align_pages)
{
    return (0u - chunk->start_page) & (align_pages - 1);
}

static uint32_t find_aligned(const hp_bfc *bfc, uint32_t page_count, uint32_t align_pages)
{
    uint64_t key = hp_bfc_least_key(page_count);
    for (uint32_t tries = 0; tries < HP_BFC_ALIGNED_TRIES; tries++) {
        uint32_t chunk = hp_bfc_bins_at_least(bfc, key);
        if (chunk == HP_BFC_NONE) {
            return HP_BFC_NONE;
        }
        const hp_bfc_chunk *found = &bfc->chunks[chunk];
        if (pages_before_aligned(found, align_pages) <= found->page_count - page_count) {
            return chunk;
        }
        key = hp_bfc_key(found) + 1;
    }
    uint64_t sure_pages = (uint64_t)page_count + align_pages - 1;
    if (sure_pages > bfc->free_pages) {
        return HP_BFC_NONE;
    }
    return hp_bfc_bins_at_least(bfc, hp_bfc_least_key((uint32_t)sure_pages));
}

static bool remainder_is_split_off(const hp_bfc *bfc, uint32_t chunk_pages, uint32_t page_count)
{
    uint32_t remainder_pages = chunk_pages - page_count;
    return remainder_pages >= bfc->split_remainder_pages || remainder_pages >= page_count;
}

/* The chunk is free and in no tree: from here on its pages belong to the caller. */
static void hand_out(hp_bfc *bfc, uint32_t chunk)
{
    hp_bfc_chunk *record = &bfc->chunks[chunk];
    record->state = HP_BFC_USED;
    record->given_back = false;
    record->requested_bytes = 0;
    bfc->free_pages -= record->page_count;
}

uint32_t hp_bfc_find(const hp_bfc *bfc, uint32_t page_count, uint32_t align_pages)
{
    if (page_count == 0 || page_count > bfc->free_pages) {
        return HP_BFC_NONE;
    }
    return find_aligned(bfc, page_count, align_pages);
}

bool hp_bfc_is_touched(const hp_bfc *bfc, uint32_t chunk, uint32_t page_count, uint32_t align_pages)
{
    if (chunk == HP_BFC_NONE) {
        return false;
    }
    const hp_bfc_chunk *found = &bfc->chunks[chunk];
    uint32_t first_page = found->start_page + pages_before_aligned(found, align_pages);
    return found->dirty && first_page + page_count <= found->dirty_end_page;
}

/* The chunk is free; what it has before and behind the pages wanted stays free. */
static uint32_t take_at(hp_bfc *bfc, uint32_t chunk, uint32_t leading_pages, uint32_t page_count)
{
    leave(bfc, chunk);

    if (leading_pages > 0) {
        uint32_t wanted = split(bfc, chunk, leading_pages);
        enter(bfc, chunk);
        chunk = wanted;
    }
    if (remainder_is_split_off(bfc, bfc->chunks[chunk].page_count, page_count)) {
        enter(bfc, split(bfc, chunk, page_count));
    }
    hand_out(bfc, chunk);
    return chunk;
}

uint32_t hp_bfc_take(hp_bfc *bfc, uint32_t chunk, uint32_t page_count, uint32_t align_pages)
{
    return take_at(bfc, chunk, pages_before_aligned(&bfc->chunks[chunk], align_pages), page_count);
}

uint32_t hp_bfc_allocate_untouched(hp_bfc *bfc, uint32_t page_count, uint32_t align_pages)
{
    uint32_t chunk = hp_bfc_bins_greatest(bfc);
    if (chunk == HP_BFC_NONE) {
        return HP_BFC_NONE;
    }
    const hp_bfc_chunk *record = &bfc->chunks[chunk];
    uint32_t dirty_pages = record->dirty ? record->dirty_end_page - record->start_page : 0;
    uint32_t border = record->start_page + dirty_pages;
    uint32_t leading_pages = dirty_pages + ((0u - border) & (align_pages - 1));
    if (page_count > record->page_count || leading_pages > record->page_count - page_count) {
        return HP_BFC_NONE;
    }
    return take_at(bfc, chunk, leading_pages, page_count);
}

uint32_t hp_bfc_allocate(hp_bfc *bfc, uint32_t page_count, uint32_t align_pages)
{
    uint32_t chunk = hp_bfc_find(bfc, page_count, align_pages);
    return chunk == HP_BFC_NONE ? HP_BFC_NONE : hp_bfc_take(bfc, chunk, page_count, align_pages);
}

uint32_t hp_bfc_free(hp_bfc *bfc, uint32_t chunk, uint32_t now_ms)
{
    hp_bfc_chunk *record = &bfc->chunks[chunk];
    uint32_t previous = record->previous;
    uint32_t next = record->next;

    record->state = HP_BFC_FREE;
    record->dirty = !record->given_back;
    record->dirty_start_page = record->start_page;
    record->dirty_end_page = record->start_page + record->page_count;
    record->freed_at_ms = now_ms;
    bfc->free_pages += record->page_count;
    if (is_free(bfc, next)) {
        leave(bfc, next);
        chunk = merge(bfc, chunk, next);
    }
    if (is_free(bfc, previous)) {
        leave(bfc, previous);
        chunk = merge(bfc, previous, chunk);
    }
    enter(bfc, chunk);
    return chunk;
}

/* What is taken of the neighbour is handed out as a chunk of its own first, then joined. */
bool hp_bfc_extend(hp_bfc *bfc, uint32_t chunk, uint32_t page_count)
{
    hp_bfc_chunk *record = &bfc->chunks[chunk];
    if (page_count <= record->page_count) {
        return true;
    }
    uint32_t missing_pages = page_count - record->page_count;
    uint32_t next = record->next;
    if (!is_free(bfc, next) || bfc->chunks[next].page_count < missing_pages) {
        return false;
    }
    leave(bfc, next);
    if (bfc->chunks[next].page_count > missing_pages) {
        enter(bfc, split(bfc, next, missing_pages));
    }
    hand_out(bfc, next);
    merge(bfc, chunk, next);
    return true;
}

/* The tail is cut off as a used chunk, which is then freed like any other. */
uint32_t hp_bfc_shrink(hp_bfc *bfc, uint32_t chunk, uint32_t page_count, uint32_t now_ms)
{
    if (page_count >= bfc->chunks[chunk].page_count) {
        return HP_BFC_NONE;
    }
    return hp_bfc_free(bfc, split(bfc, chunk, page_count), now_ms);
}

void hp_bfc_mark_hidden(hp_bfc *bfc, uint32_t chunk, hp_bfc_hiding hiding)
{
    hp_bfc_chunk *record = &bfc->chunks[chunk];
    if (record->state == HP_BFC_FREE) {
        bfc->hidden_chunks -= record->hiding != HP_BFC_SHOWN;
        bfc->hidden_chunks += hiding != HP_BFC_SHOWN;
    }
    record->hiding = (uint8_t)hiding;
}

void hp_bfc_mark_clean(hp_bfc *bfc, uint32_t chunk)
{
    /* Dirtiness is part of the key: out of the tree and in again. */
    leave(bfc, chunk);
    bfc->chunks[chunk].dirty = false;
    enter(bfc, chunk);
}

uint32_t hp_bfc_take_dirty(hp_bfc *bfc, uint32_t chunk, uint32_t most_pages)
{
    leave(bfc, chunk);
    uint32_t end_page = bfc->chunks[chunk].dirty_end_page;
    uint32_t page_count = hp_bfc_dirty_pages_of(&bfc->chunks[chunk]);
    page_count = page_count < most_pages ? page_count : most_pages;
    uint32_t pages_below = end_page - page_count - bfc->chunks[chunk].start_page;
    if (pages_below > 0) {
        uint32_t upper = split(bfc, chunk, pages_below);
        enter(bfc, chunk);
        chunk = upper;
    }
    if (bfc->chunks[chunk].page_count > page_count) {
        enter(bfc, split(bfc, chunk, page_count));
    }
    hand_out(bfc, chunk);
    return chunk;
}

uint32_t hp_bfc_largest_free_pages(const hp_bfc *bfc)
{
    uint32_t chunk = hp_bfc_bins_greatest(bfc);
    return chunk == HP_BFC_NONE ? 0 : bfc->chunks[chunk].page_count;
}
