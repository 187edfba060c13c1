#include "arena/bfc_tree.h"

_Static_assert(HP_BFC_EXACT_BINS == 64 && HP_BFC_BINS_PER_DOUBLING == 8,
               "hp_bfc_bin_of_pages computes with these shifts");

#define EXACT_BINS_LOG2 6u
#define BINS_PER_DOUBLING_LOG2 3u

/*
 * A bin above the exact ones holds the counts (lower, upper], as a size class does: 65..72 is the
 * first. So one less than the count is what the bits are taken from.
 */
uint32_t hp_bfc_bin_of_pages(uint32_t page_count)
{
    uint32_t last_page = page_count - 1;
    if (last_page < HP_BFC_EXACT_BINS) {
        return last_page;
    }
    uint32_t log2 = 31u - (uint32_t)__builtin_clz(last_page);
    uint32_t step = last_page >> (log2 - BINS_PER_DOUBLING_LOG2) & (HP_BFC_BINS_PER_DOUBLING - 1);
    return HP_BFC_EXACT_BINS + (log2 - EXACT_BINS_LOG2) * HP_BFC_BINS_PER_DOUBLING + step;
}

/*
 * Each step (multiply by an odd number, fold the high half onto the low one) can be undone, so
 * different start pages have different priorities. Evenly spaced start pages, the usual case, come
 * out scattered: the trees are as low as those of random numbers.
 */
static inline uint32_t priority_of(const hp_bfc_chunk *chunk)
{
    uint32_t mixed = (chunk->start_page ^ UINT32_C(0xB7E15163)) * UINT32_C(0x9E3779B1);
    mixed = (mixed ^ mixed >> 15) * UINT32_C(0xC2B2AE3D);
    return mixed ^ mixed >> 16;
}

static inline uint32_t bin_of_chunk(const hp_bfc *bfc, uint32_t chunk)
{
    return hp_bfc_bin_of_pages(bfc->chunks[chunk].page_count);
}

static bool bin_bit_is_set(const hp_bfc *bfc, uint32_t bin)
{
    return (bfc->bin_bitmap[bin / 64] >> bin % 64 & 1) != 0;
}

void hp_bfc_bins_init(hp_bfc *bfc)
{
    for (uint32_t word = 0; word < HP_BFC_BIN_WORDS; word++) {
        bfc->bin_bitmap[word] = 0;
    }
    for (uint32_t bin = 0; bin < HP_BFC_BIN_COUNT; bin++) {
        bfc->bin_root[bin] = HP_BFC_NONE;
    }
}

/*
 * Down the path of the key until the priorities fall below the new one; the new chunk takes that
 * link, and what hung there is split along the same path into its smaller and larger side.
 */
void hp_bfc_bins_insert(hp_bfc *bfc, uint32_t chunk)
{
    hp_bfc_chunk *chunks = bfc->chunks;
    uint32_t bin = bin_of_chunk(bfc, chunk);
    uint64_t key = hp_bfc_key(&chunks[chunk]);
    uint32_t priority = priority_of(&chunks[chunk]);

    uint32_t *link = &bfc->bin_root[bin];
    while (*link != HP_BFC_NONE && priority_of(&chunks[*link]) > priority) {
        hp_bfc_chunk *node = &chunks[*link];
        link = key < hp_bfc_key(node) ? &node->left : &node->right;
    }

    uint32_t rest = *link;
    uint32_t *smaller_end = &chunks[chunk].left;
    uint32_t *larger_end = &chunks[chunk].right;
    *link = chunk;
    while (rest != HP_BFC_NONE) {
        hp_bfc_chunk *node = &chunks[rest];
        if (hp_bfc_key(node) < key) {
            *smaller_end = rest;
            smaller_end = &node->right;
            rest = node->right;
        } else {
            *larger_end = rest;
            larger_end = &node->left;
            rest = node->left;
        }
    }
    *smaller_end = HP_BFC_NONE;
    *larger_end = HP_BFC_NONE;
    bfc->bin_bitmap[bin / 64] |= UINT64_C(1) << bin % 64;
}

/* The two sides below the chunk are merged into the link that it hung on: the reverse of insert. */
void hp_bfc_bins_remove(hp_bfc *bfc, uint32_t chunk)
{
    hp_bfc_chunk *chunks = bfc->chunks;
    uint32_t bin = bin_of_chunk(bfc, chunk);
    uint64_t key = hp_bfc_key(&chunks[chunk]);

    uint32_t *link = &bfc->bin_root[bin];
    while (*link != chunk) {
        hp_bfc_chunk *node = &chunks[*link];
        link = key < hp_bfc_key(node) ? &node->left : &node->right;
    }

    uint32_t smaller = chunks[chunk].left;
    uint32_t larger = chunks[chunk].right;
    while (smaller != HP_BFC_NONE && larger != HP_BFC_NONE) {
        if (priority_of(&chunks[smaller]) > priority_of(&chunks[larger])) {
            *link = smaller;
            link = &chunks[smaller].right;
            smaller = *link;
        } else {
            *link = larger;
            link = &chunks[larger].left;
            larger = *link;
        }
    }
    *link = smaller != HP_BFC_NONE ? smaller : larger;
    if (bfc->bin_root[bin] == HP_BFC_NONE) {
        bfc->bin_bitmap[bin / 64] &= ~(UINT64_C(1) << bin % 64);
    }
}

static uint32_t tree_at_least(const hp_bfc *bfc, uint32_t bin, uint64_t key)
{
    uint32_t best = HP_BFC_NONE;
    uint32_t node = bfc->bin_root[bin];
    while (node != HP_BFC_NONE) {
        const hp_bfc_chunk *chunk = &bfc->chunks[node];
        if (hp_bfc_key(chunk) >= key) {
            best = node;
            node = chunk->left;
        } else {
            node = chunk->right;
        }
    }
    return best;
}

/* The first bin from `bin` on whose tree is not empty, or HP_BFC_BIN_COUNT. */
static uint32_t nonempty_bin_from(const hp_bfc *bfc, uint32_t bin)
{
    uint64_t below = (UINT64_C(1) << bin % 64) - 1;
    for (uint32_t word = bin / 64; word < HP_BFC_BIN_WORDS; word++, below = 0) {
        uint64_t bits = bfc->bin_bitmap[word] & ~below;
        if (bits != 0) {
            return word * 64 + (uint32_t)__builtin_ctzll(bits);
        }
    }
    return HP_BFC_BIN_COUNT;
}

uint32_t hp_bfc_bins_at_least(const hp_bfc *bfc, uint64_t key)
{
    uint32_t bin = hp_bfc_bin_of_pages((uint32_t)(key >> 32));
    uint32_t best = tree_at_least(bfc, bin, key);
    if (best == HP_BFC_NONE) {
        /* Every chunk of a higher bin is large enough: its least is the answer. */
        bin = nonempty_bin_from(bfc, bin + 1);
        if (bin < HP_BFC_BIN_COUNT) {
            best = tree_at_least(bfc, bin, 0);
        }
    }
    return best;
}

uint32_t hp_bfc_bins_greatest(const hp_bfc *bfc)
{
    for (uint32_t word = HP_BFC_BIN_WORDS; word-- > 0;) {
        if (bfc->bin_bitmap[word] != 0) {
            uint32_t bin = word * 64 + 63u - (uint32_t)__builtin_clzll(bfc->bin_bitmap[word]);
            uint32_t node = bfc->bin_root[bin];
            while (bfc->chunks[node].right != HP_BFC_NONE) {
                node = bfc->chunks[node].right;
            }
            return node;
        }
    }
    return HP_BFC_NONE;
}

/* Whether the link is empty or leads to a chunk that may be in the tree of this bin. */
static bool link_stays_in_bin(const hp_bfc *bfc, uint32_t link, uint32_t bin)
{
    return link == HP_BFC_NONE ||
           (link < bfc->record_count && bfc->chunks[link].state == HP_BFC_FREE &&
            bin_of_chunk(bfc, link) == bin);
}

static bool children_are_in_order(const hp_bfc *bfc, const hp_bfc_chunk *parent)
{
    if (parent->left != HP_BFC_NONE) {
        const hp_bfc_chunk *left = &bfc->chunks[parent->left];
        if (hp_bfc_key(left) >= hp_bfc_key(parent) || priority_of(left) >= priority_of(parent)) {
            return false;
        }
    }
    if (parent->right != HP_BFC_NONE) {
        const hp_bfc_chunk *right = &bfc->chunks[parent->right];
        if (hp_bfc_key(right) <= hp_bfc_key(parent) || priority_of(right) >= priority_of(parent)) {
            return false;
        }
    }
    return true;
}

/* The priorities fall along every link (checked before), so the search comes to an end. */
static bool search_finds(const hp_bfc *bfc, uint32_t chunk)
{
    uint64_t key = hp_bfc_key(&bfc->chunks[chunk]);
    uint32_t node = bfc->bin_root[bin_of_chunk(bfc, chunk)];
    while (node != HP_BFC_NONE && node != chunk) {
        const hp_bfc_chunk *parent = &bfc->chunks[node];
        node = key < hp_bfc_key(parent) ? parent->left : parent->right;
    }
    return node == chunk;
}

static const char *check_roots(const hp_bfc *bfc, uint32_t *links)
{
    for (uint32_t bin = 0; bin < HP_BFC_BIN_COUNT; bin++) {
        uint32_t root = bfc->bin_root[bin];
        if (bin_bit_is_set(bfc, bin) != (root != HP_BFC_NONE)) {
            return "B4: the bit of a bin disagrees with its tree";
        }
        if (!link_stays_in_bin(bfc, root, bin)) {
            return "B3: the tree of a bin holds a chunk that does not belong there";
        }
        *links += root != HP_BFC_NONE ? 1 : 0;
    }
    return NULL;
}

static const char *check_children(const hp_bfc *bfc, uint32_t chunk, uint32_t *links)
{
    const hp_bfc_chunk *parent = &bfc->chunks[chunk];
    uint32_t bin = bin_of_chunk(bfc, chunk);
    if (!link_stays_in_bin(bfc, parent->left, bin) || !link_stays_in_bin(bfc, parent->right, bin)) {
        return "B3: the tree of a bin holds a chunk that does not belong there";
    }
    if (!children_are_in_order(bfc, parent)) {
        return "B5: a tree is out of order or is no heap";
    }
    *links += parent->left != HP_BFC_NONE ? 1 : 0;
    *links += parent->right != HP_BFC_NONE ? 1 : 0;
    return NULL;
}

/*
 * A tree holds its bin's free chunks and nothing else when the search finds each of them and there
 * are as many links as free chunks: a found chunk uses up one link, so none is left for another.
 */
const char *hp_bfc_bins_check(const hp_bfc *bfc)
{
    uint32_t free_chunks = 0;
    uint32_t links = 0;
    const char *broken = check_roots(bfc, &links);
    for (uint32_t chunk = 0; chunk < bfc->record_count && broken == NULL; chunk++) {
        if (bfc->chunks[chunk].state == HP_BFC_FREE) {
            broken = check_children(bfc, chunk, &links);
            free_chunks++;
        }
    }
    for (uint32_t chunk = 0; chunk < bfc->record_count && broken == NULL; chunk++) {
        if (bfc->chunks[chunk].state == HP_BFC_FREE && !search_finds(bfc, chunk)) {
            broken = "B3: a free chunk is missing from the tree of its bin";
        }
    }
    if (broken == NULL && links != free_chunks) {
        broken = "B3: a chunk hangs in the trees twice";
    }
    return broken;
}
