/*
 * What one free and one allocate cost in a BFC range as the number of free chunks grows, and what
 * they would cost if a bin were a list that the best fit is looked for in.
 *
 * The range holds n free chunks between used ones. A pair frees one of the used chunks, chosen at
 * random, and allocates as many pages again: n stays the same, nothing merges, and the whole cost
 * is that of finding and keeping the order of best fit. The two structures get the same pairs and
 * must give the same answers. What the tree's time grows by beyond its
 * nodes is cache misses: the records of a million free chunks are 85 MB.
 *
 *   exact bin    every chunk has 4 pages: all in one bin, all of them fit
 *   range bin    65 to 72 pages: all in one bin, many are too small for a request
 *   mixed bins   1 to 256 pages, small ones frequent
 *
 * usage: bfc_growth [seed]; CSV on standard output
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arena/bfc.h"
#include "arena/bfc_tree.h"

#define MOST_FREE_CHUNKS 1000000u
#define MOST_LIVE_CHUNKS 65536u
#define MOST_RECORDS (2 * (MOST_FREE_CHUNKS + MOST_LIVE_CHUNKS) + 1)
#define MOST_BATCHES 15
#define BATCH_NS UINT64_C(10000000)
#define ROW_NS UINT64_C(500000000)
#define COMPARED_PAIRS 20u

typedef enum sizes { EXACT_BIN, RANGE_BIN, MIXED_BINS } sizes;
static const char *const sizes_name[] = {"exact bin", "range bin", "mixed bins"};

static hp_bfc bfc;
static hp_bfc_chunk *table;
static uint32_t *live; /* the used chunks that a pair may free */
static uint32_t live_count;

static uint64_t random_state;

/* splitmix64 */
static uint32_t random_below(uint32_t limit)
{
    uint64_t bits = random_state += UINT64_C(0x9E3779B97F4A7C15);
    bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(((bits ^ bits >> 31) >> 32) * limit >> 32);
}

/* The time that this program had a processor: others on the machine count little. */
static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static uint32_t random_pages(sizes chosen)
{
    switch (chosen) {
    case EXACT_BIN:
        return 4;
    case RANGE_BIN:
        return 65 + random_below(8);
    case MIXED_BINS:
        break;
    }
    return 1 + random_below(UINT32_C(1) << random_below(9));
}

/* ---- the tree: the core itself ---- */

static void tree_free(uint32_t chunk)
{
    hp_bfc_free(&bfc, chunk, 0);
}

static uint32_t tree_allocate(uint32_t page_count)
{
    return hp_bfc_allocate(&bfc, page_count, 1);
}

/* Nodes on the way down to where the key is, or would be. */
static uint64_t path_nodes(uint64_t key)
{
    uint64_t nodes = 0;
    uint32_t node = bfc.bin_root[hp_bfc_bin_of_pages((uint32_t)(key >> 32))];
    while (node != HP_BFC_NONE) {
        nodes++;
        node = key <= hp_bfc_key(&table[node]) ? table[node].left : table[node].right;
    }
    return nodes;
}

/*
 * The core counts nothing, so the ways it goes are gone once more: an insert visits the path of its
 * key, a search the path of the request, a removal the path of the key as it is afterwards and the
 * chunk itself.
 */
static uint64_t tree_pair_nodes(uint32_t *chunk)
{
    uint32_t page_count = table[*chunk].page_count;
    table[*chunk].dirty = true;
    uint64_t nodes = path_nodes(hp_bfc_key(&table[*chunk]));
    hp_bfc_free(&bfc, *chunk, 0);
    nodes += path_nodes(hp_bfc_least_key(page_count));
    *chunk = hp_bfc_allocate(&bfc, page_count, 1);
    return nodes + path_nodes(hp_bfc_key(&table[*chunk])) + 1;
}

/* ---- the list: a bin is searched from end to end for the same answer ---- */

static uint32_t list_head[HP_BFC_BIN_COUNT];
static uint64_t list_nodes;

static void list_free(uint32_t chunk)
{
    uint32_t *head = &list_head[hp_bfc_bin_of_pages(table[chunk].page_count)];
    table[chunk].state = HP_BFC_FREE;
    table[chunk].dirty = true;
    table[chunk].left = HP_BFC_NONE;
    table[chunk].right = *head;
    if (*head != HP_BFC_NONE) {
        table[*head].left = chunk;
    }
    *head = chunk;
}

static uint32_t list_allocate(uint32_t page_count)
{
    uint32_t best = HP_BFC_NONE;
    uint32_t bin = hp_bfc_bin_of_pages(page_count);
    for (uint32_t chunk = list_head[bin]; chunk != HP_BFC_NONE; chunk = table[chunk].right) {
        list_nodes++;
        if (table[chunk].page_count >= page_count &&
            (best == HP_BFC_NONE || hp_bfc_key(&table[chunk]) < hp_bfc_key(&table[best]))) {
            best = chunk;
        }
    }
    if (best == HP_BFC_NONE) {
        return HP_BFC_NONE; /* does not happen: a pair asks for what it has just freed */
    }
    uint32_t before = table[best].left;
    uint32_t after = table[best].right;
    *(before == HP_BFC_NONE ? &list_head[bin] : &table[before].right) = after;
    if (after != HP_BFC_NONE) {
        table[after].left = before;
    }
    table[best].state = HP_BFC_USED;
    return best;
}

static uint64_t list_pair_nodes(uint32_t *chunk)
{
    uint32_t page_count = table[*chunk].page_count;
    uint64_t before = list_nodes;
    list_free(*chunk);
    *chunk = list_allocate(page_count);
    return list_nodes - before;
}

/* ---- measuring ---- */

typedef struct structure {
    const char *name;
    void (*free)(uint32_t chunk);
    uint32_t (*allocate)(uint32_t page_count);
    uint64_t (*pair_nodes)(uint32_t *chunk);
    uint32_t counted_pairs; /* at least COMPARED_PAIRS */
} structure;

static const structure structures[] = {
    {"tree", tree_free, tree_allocate, tree_pair_nodes, 2000},
    {"list", list_free, list_allocate, list_pair_nodes, COMPARED_PAIRS},
};

/* free_chunks + live_count chunks, each with a used page behind it so that nothing merges. */
static void build(const structure *bins, sizes chosen, uint32_t free_chunks)
{
    live_count = free_chunks < MOST_LIVE_CHUNKS ? free_chunks : MOST_LIVE_CHUNKS;
    uint32_t chunk_count = free_chunks + live_count;
    hp_bfc_init(&bfc, table, chunk_count * 80);
    for (uint32_t i = 0; i < chunk_count; i++) {
        live[i] = hp_bfc_allocate(&bfc, random_pages(chosen), 1);
        hp_bfc_allocate(&bfc, 1, 1);
    }
    for (uint32_t bin = 0; bin < HP_BFC_BIN_COUNT; bin++) {
        list_head[bin] = HP_BFC_NONE;
    }
    for (uint32_t left = chunk_count; left > live_count; left--) {
        uint32_t victim = random_below(left);
        uint32_t chunk = live[victim];
        live[victim] = live[left - 1];
        bins->free(chunk);
    }
}

/* The start pages that the first pairs got, in one number: both structures must get the same. */
static uint64_t answers;

static uint64_t pairs_ns(const structure *bins, uint64_t pairs)
{
    uint64_t begin_ns = now_ns();
    for (uint64_t pair = 0; pair < pairs; pair++) {
        uint32_t *chunk = &live[random_below(live_count)];
        uint32_t page_count = table[*chunk].page_count;
        bins->free(*chunk);
        *chunk = bins->allocate(page_count);
    }
    return now_ns() - begin_ns;
}

static void count_nodes(const structure *bins, double *mean, uint64_t *most)
{
    uint64_t sum = 0;
    *most = 0;
    answers = 0;
    for (uint32_t pair = 0; pair < bins->counted_pairs; pair++) {
        uint32_t *chunk = &live[random_below(live_count)];
        uint64_t nodes = bins->pair_nodes(chunk);
        if (pair < COMPARED_PAIRS) {
            answers = answers * 31 + table[*chunk].start_page;
        }
        sum += nodes;
        *most = nodes > *most ? nodes : *most;
    }
    *mean = (double)sum / bins->counted_pairs;
}

static int compare_doubles(const void *one, const void *other)
{
    double a = *(const double *)one;
    double b = *(const double *)other;
    return (a > b) - (a < b);
}

/* Batches long enough for the clock, and as many as fit into the time of a row, at least one. */
static double median_pair_ns(const structure *bins, uint64_t *measured_pairs)
{
    double batch_ns[MOST_BATCHES];
    size_t batches = 0;
    uint64_t pairs = 1;
    while (pairs_ns(bins, pairs) < BATCH_NS) {
        pairs *= 2;
    }
    uint64_t begin_ns = now_ns();
    do {
        batch_ns[batches++] = (double)pairs_ns(bins, pairs) / (double)pairs;
    } while (batches < MOST_BATCHES && now_ns() - begin_ns < ROW_NS);
    qsort(batch_ns, batches, sizeof batch_ns[0], compare_doubles);
    *measured_pairs = pairs * batches;
    return batch_ns[batches / 2];
}

/* Returns what the first pairs got. */
static uint64_t measure(const structure *bins, sizes chosen, uint32_t free_chunks, uint64_t seed)
{
    double mean_nodes;
    uint64_t most_nodes;
    uint64_t measured_pairs;
    random_state = seed;
    build(bins, chosen, free_chunks);
    count_nodes(bins, &mean_nodes, &most_nodes);
    double pair_ns = median_pair_ns(bins, &measured_pairs);
    printf("%s,%s,%" PRIu32 ",%.1f,%.1f,%" PRIu64 ",%" PRIu64 "\n", sizes_name[chosen], bins->name,
           free_chunks, pair_ns, mean_nodes, most_nodes, measured_pairs);
    fflush(stdout);
    return answers;
}

int main(int argument_count, char **arguments)
{
    uint64_t seed = argument_count > 1 ? strtoull(arguments[1], NULL, 0) : 1;
    /* Fewer records than hp_bfc_table_bytes() asks for: the number of chunks is known here. */
    table = calloc(MOST_RECORDS, sizeof *table);
    live = calloc(MOST_FREE_CHUNKS + MOST_LIVE_CHUNKS, sizeof *live);
    if (table == NULL || live == NULL) {
        perror("bfc_growth");
        return 1;
    }
    printf("# bench/bfc_growth %" PRIu64 "; compiler %s\n", seed, __VERSION__);
    printf("bins,structure,free_chunks,pair_ns,pair_nodes_mean,pair_nodes_most,pairs\n");
    for (sizes chosen = EXACT_BIN; chosen <= MIXED_BINS; chosen++) {
        for (uint32_t free_chunks = 100; free_chunks <= MOST_FREE_CHUNKS; free_chunks *= 10) {
            uint64_t tree_answers = measure(&structures[0], chosen, free_chunks, seed);
            uint64_t list_answers = measure(&structures[1], chosen, free_chunks, seed);
            if (tree_answers != list_answers) {
                fprintf(stderr, "bfc_growth: the list and the tree gave different chunks\n");
                return 1;
            }
        }
    }
    free(live);
    free(table);
    return 0;
}
