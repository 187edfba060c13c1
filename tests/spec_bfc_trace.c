/*
 * Random traces on the BFC core beside a naive model of it, which must agree on every step: which
 * pages are handed out, whether they may hold data, how old what is free is.
 *
 * usage: spec_bfc_trace [seed]
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bfc_model.h"

static uint64_t seed = 20240229;
static uint64_t random_state;

/* splitmix64 */
static uint64_t random_bits(void)
{
    uint64_t bits = random_state += UINT64_C(0x9E3779B97F4A7C15);
    bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
    return bits ^ bits >> 31;
}

static uint32_t random_below(uint32_t limit)
{
    return (uint32_t)((random_bits() >> 32) * limit >> 32);
}

typedef struct live_chunk {
    uint32_t handle;
    model_run run;
} live_chunk;

typedef struct trace {
    uint32_t page_count;
    uint32_t split_remainder_pages;
    uint32_t largest_request_pages;
    uint32_t largest_align_log2;
    uint32_t operations;
    uint32_t check_every;
} trace;

static hp_bfc bfc;
static hp_bfc_chunk table[MOST_PAGES];
static live_chunk live[MOST_PAGES];
static uint32_t live_count;
static uint64_t now_ms;

static void then_chunk_is(uint32_t handle, const model_run *run)
{
    const hp_bfc_chunk *chunk = &table[handle];
    assert_int_equal(chunk->start_page, run->start_page);
    assert_int_equal(chunk->page_count, run->page_count);
    assert_int_equal(chunk->dirty, run->dirty);
}

/* Every chunk in physical order is what the model has at that page. */
static void then_all_chunks_agree(void)
{
    const char *broken = hp_bfc_check(&bfc);
    if (broken != NULL) {
        fail_msg("%s", broken);
    }
    uint32_t largest_pages = 0;
    uint32_t dirty_pages = 0;
    for (uint32_t handle = 0; handle != HP_BFC_NONE; handle = table[handle].next) {
        const hp_bfc_chunk *chunk = &table[handle];
        if (chunk->state == HP_BFC_USED) {
            assert_int_equal(chunk->page_count, pages[chunk->start_page].used_pages);
            continue;
        }
        model_run run = model_free_run_at(chunk->start_page);
        then_chunk_is(handle, &run);
        if (run.dirty) {
            assert_int_equal(chunk->freed_at_ms, (uint32_t)run.freed_at_ms);
            assert_int_equal(chunk->dirty_end_page - chunk->dirty_start_page, run.dirty_pages);
        }
        dirty_pages += run.dirty_pages;
        largest_pages = run.page_count > largest_pages ? run.page_count : largest_pages;
    }
    assert_int_equal(hp_bfc_largest_free_pages(&bfc), largest_pages);
    assert_int_equal(bfc.dirty_pages, dirty_pages);
}

/* Small requests are frequent, large ones rare: the number of bits is what is evenly spread. */
static uint32_t random_pages(uint32_t largest)
{
    uint32_t bits = 1 + random_below(32u - (uint32_t)__builtin_clz(largest));
    uint32_t count = 1 + random_below(UINT32_C(1) << bits);
    return count < largest ? count : largest;
}

static void allocate_on_both(const trace *shape)
{
    uint32_t wanted_pages = random_pages(shape->largest_request_pages);
    uint32_t align_pages = 1;
    if (random_below(4) == 0) {
        align_pages <<= random_below(shape->largest_align_log2 + 1);
    }
    bool untouched = random_below(16) == 0;
    model_run run = untouched ? model_allocate_untouched(wanted_pages, align_pages)
                              : model_allocate(wanted_pages, align_pages);
    uint32_t handle = untouched ? hp_bfc_allocate_untouched(&bfc, wanted_pages, align_pages)
                                : hp_bfc_allocate(&bfc, wanted_pages, align_pages);
    assert_int_equal(handle == HP_BFC_NONE, run.page_count == 0);
    if (handle != HP_BFC_NONE) {
        then_chunk_is(handle, &run);
        live[live_count++] = (live_chunk){handle, run};
    }
}

static void free_on_both(uint32_t victim)
{
    live_chunk freed = live[victim];
    uint64_t freed_at_ms =
        now_ms - random_below(4); /* clocks read by threads overtake each other */
    live[victim] = live[--live_count];
    model_free(freed.run.start_page, freed.run.page_count, true, freed_at_ms);
    hp_bfc_free(&bfc, freed.handle, (uint32_t)freed_at_ms);
}

static void extend_both(live_chunk *chunk, const trace *shape)
{
    uint32_t wanted_pages = chunk->run.page_count + random_pages(shape->largest_request_pages);
    bool extended = model_extend(&chunk->run, wanted_pages);
    assert_int_equal(hp_bfc_extend(&bfc, chunk->handle, wanted_pages), extended);
    then_chunk_is(chunk->handle, &chunk->run);
}

static void shrink_both(live_chunk *chunk)
{
    uint32_t wanted_pages = 1 + random_below(chunk->run.page_count);
    model_shrink(&chunk->run, wanted_pages, now_ms);
    hp_bfc_shrink(&bfc, chunk->handle, wanted_pages, (uint32_t)now_ms);
    then_chunk_is(chunk->handle, &chunk->run);
}

/* The free chunk above a used one, if there is one, is given back to the system. */
static void mark_clean_on_both(const live_chunk *below)
{
    uint32_t handle = table[below->handle].next;
    if (handle != HP_BFC_NONE && table[handle].state == HP_BFC_FREE) {
        model_run run = model_free_run_at(below->run.start_page + below->run.page_count);
        model_mark_clean(&run);
        hp_bfc_mark_clean(&bfc, handle);
    }
}

/* Of the free chunk above a used one the upper dirty pages are given back to the system. */
static void give_back_on_both(const live_chunk *below)
{
    uint32_t handle = table[below->handle].next;
    if (handle == HP_BFC_NONE || table[handle].state != HP_BFC_FREE || !table[handle].dirty) {
        return;
    }
    uint32_t most = random_pages(64);
    model_run free_run = model_free_run_at(below->run.start_page + below->run.page_count);
    model_run taken = model_take_dirty(&free_run, most);
    uint32_t chunk = hp_bfc_take_dirty(&bfc, handle, most);
    then_chunk_is(chunk, &taken);
    table[chunk].given_back = true;
    hp_bfc_free(&bfc, chunk, (uint32_t)now_ms);
    model_free(taken.start_page, taken.page_count, false, now_ms);
}

/* The share of frees swings slowly, so that the range is nearly full and nearly empty by turns. */
static void one_operation(const trace *shape, uint32_t operation)
{
    uint32_t free_percent = (operation / 512) % 2 == 0 ? 35 : 55;
    uint32_t choice = random_below(100);
    now_ms += random_below(4) == 0 ? 1 : 0;
    if (live_count == 0 || choice >= free_percent + 15) {
        allocate_on_both(shape);
    } else if (choice < free_percent) {
        free_on_both(random_below(live_count));
    } else if (choice < free_percent + 7) {
        extend_both(&live[random_below(live_count)], shape);
    } else if (choice < free_percent + 12) {
        shrink_both(&live[random_below(live_count)]);
    } else if (choice < free_percent + 14) {
        give_back_on_both(&live[random_below(live_count)]);
    } else {
        mark_clean_on_both(&live[random_below(live_count)]);
    }
}

static void run_trace(const trace *shape)
{
    memset(table, 0, sizeof table);
    hp_bfc_init(&bfc, table, shape->page_count);
    bfc.split_remainder_pages = shape->split_remainder_pages;
    model_init(shape->page_count, shape->split_remainder_pages);
    live_count = 0;
    now_ms = UINT32_MAX - shape->operations / 8; /* the 32-bit clock wraps half-way */

    for (uint32_t operation = 0; operation < shape->operations; operation++) {
        one_operation(shape, operation);
        if (operation % shape->check_every == 0) {
            then_all_chunks_agree();
        }
    }
    while (live_count > 0) {
        free_on_both(random_below(live_count));
    }
    then_all_chunks_agree();
    assert_int_equal(bfc.free_pages, shape->page_count);
    assert_int_equal(table[0].page_count, shape->page_count);
}

static void run_traces(uint32_t rounds, const trace *shape)
{
    for (uint32_t round = 0; round < rounds; round++) {
        run_trace(shape);
    }
}

static void small_ranges_agree_after_every_operation(void **state)
{
    (void)state;
    for (uint32_t pages_of_range = 1; pages_of_range <= 96; pages_of_range++) {
        run_traces(5, &(trace){.page_count = pages_of_range,
                               .split_remainder_pages = 1,
                               .largest_request_pages = 1 + pages_of_range / 4,
                               .largest_align_log2 = 4,
                               .operations = 1000,
                               .check_every = 1});
    }
}

static void ranges_of_many_small_chunks_agree(void **state)
{
    (void)state;
    run_traces(40, &(trace){.page_count = 1024,
                            .split_remainder_pages = 1,
                            .largest_request_pages = 8,
                            .largest_align_log2 = 3,
                            .operations = 20000,
                            .check_every = 64});
}

static void ranges_of_mixed_chunks_agree(void **state)
{
    (void)state;
    run_traces(40, &(trace){.page_count = 4096,
                            .split_remainder_pages = 1,
                            .largest_request_pages = 600,
                            .largest_align_log2 = 9,
                            .operations = 20000,
                            .check_every = 64});
}

static void ranges_with_a_split_threshold_agree(void **state)
{
    (void)state;
    for (uint32_t threshold_pages = 2; threshold_pages <= 512; threshold_pages *= 2) {
        run_traces(4, &(trace){.page_count = 2048,
                               .split_remainder_pages = threshold_pages,
                               .largest_request_pages = 200,
                               .largest_align_log2 = 6,
                               .operations = 20000,
                               .check_every = 64});
    }
}

static void a_long_trace_on_one_range_agrees(void **state)
{
    (void)state;
    run_trace(&(trace){.page_count = 2048,
                       .split_remainder_pages = 1,
                       .largest_request_pages = 128,
                       .largest_align_log2 = 5,
                       .operations = 1000000,
                       .check_every = 1024});
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_ranges_agree_after_every_operation),
        cmocka_unit_test(ranges_of_many_small_chunks_agree),
        cmocka_unit_test(ranges_of_mixed_chunks_agree),
        cmocka_unit_test(ranges_with_a_split_threshold_agree),
        cmocka_unit_test(a_long_trace_on_one_range_agrees),
    };
    if (argument_count > 1) {
        seed = strtoull(arguments[1], NULL, 0);
    }
    random_state = seed;
    printf("seed %" PRIu64 "\n", seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
