#include "metadata/address_map.h"

#include "metadata/storage.h"

/* 47 bits of address: 2^17 leaves of 2^18 entries of 4 KiB. A leaf spans 1 GiB and costs 2 MiB of
   address space, of which only the pages in use are ever touched. */
#define ADDRESS_BITS 47u
#define ENTRY_LOG2 12u
#define LEAF_LOG2 18u
#define LEAF_ENTRIES ((size_t)1 << LEAF_LOG2)
#define ROOT_ENTRIES ((size_t)1 << (ADDRESS_BITS - ENTRY_LOG2 - LEAF_LOG2))
_Static_assert(HP_MAP_PAGE_BYTES == (size_t)1 << ENTRY_LOG2, "one page by two names");

struct hp_map_leaf {
    _Atomic uint64_t entries[LEAF_ENTRIES]; /* shared: P6 */
};

hp_hot_map hp_hot;
static hp_map_leaf *_Atomic root[ROOT_ENTRIES]; /* shared: P5 */
static hp_map_leaf *_Atomic kept_leaf; /* shared: P14; for a move, or when the system refuses */

bool hp_hot_set(uint64_t grain, uint64_t owner_id, uint64_t line_offset, void *slab)
{
    unsigned index = (uint16_t)grain;
    if (index == 0) {
        return false;
    }
    uint64_t empty = 0;
    uint64_t reserved = ~(uint64_t)0; /* matches no grain and no owner */
    /* acquire: P8, pairs with hp_hot_clear. relaxed on failure: the entry is left to the other grain */
    if (!atomic_compare_exchange_strong_explicit(&hp_hot.tag[index], &empty, reserved,
                                                 memory_order_acquire, memory_order_relaxed)) {
        return false;
    }
    /* Only the winner writes these. Whoever reads them got a chunk of this slab first, which the
       owner's claim or the program orders after this. */
    hp_hot.line_offset[index] = line_offset;
    hp_hot.slab_distance[index] = (uintptr_t)slab - (uintptr_t)&hp_hot;
    /* relaxed: see above; the tag itself is compared and not followed */
    atomic_store_explicit(&hp_hot.tag[index], grain ^ hp_owner_tag(owner_id), memory_order_relaxed);
    return true;
}

/* In the grain part of a tag: a bit that no address has, so that the tag matches no grain, whoever looks. */
#define HIDDEN ((uint64_t)1 << (HP_OWNER_SHIFT - 1))

void hp_hot_hide(uint64_t grain)
{
    uint64_t mixed = hp_relaxed_xor(&hp_hot.tag[(uint16_t)grain], grain);
    if (hp_hot_is_slab(mixed)) {
        /* relaxed: what lies beside the tag stays as it is, for who has looked at the tag and not there yet */
        atomic_store_explicit(&hp_hot.tag[(uint16_t)grain], grain ^ HIDDEN, memory_order_relaxed);
    }
}

void hp_hot_clear(uint64_t grain)
{
    uint64_t mixed = hp_relaxed_xor(&hp_hot.tag[(uint16_t)grain], grain);
    if (hp_hot_is_slab(mixed) || mixed == HIDDEN) {
        /* release: P8, pairs with the next hp_hot_set of this entry */
        atomic_store_explicit(&hp_hot.tag[(uint16_t)grain], 0, memory_order_release);
    }
}

static hp_map_leaf *leaf_of(size_t page)
{
    /* acquire: P5, pairs with install_leaf */
    return atomic_load_explicit(&root[page >> LEAF_LOG2], memory_order_acquire);
}

hp_entry hp_map_get(const void *pointer)
{
    size_t page = (uintptr_t)pointer >> ENTRY_LOG2;
    if (page >> LEAF_LOG2 >= ROOT_ENTRIES) {
        return 0;
    }
    hp_map_leaf *leaf = leaf_of(page);
    if (leaf == NULL) {
        return 0;
    }
    /* acquire: P6, pairs with hp_map_set: the record that the entry names is complete */
    return atomic_load_explicit(&leaf->entries[page & (LEAF_ENTRIES - 1)], memory_order_acquire);
}

/* False: the place has one. */
static bool install_leaf(size_t index, hp_map_leaf *leaf)
{
    hp_map_leaf *absent = NULL;
    /* release: P5, pairs with the loads of root. acquire on failure: P5, the winner's leaf is used */
    return atomic_compare_exchange_strong_explicit(&root[index], &absent, leaf,
                                                   memory_order_release, memory_order_acquire);
}

/* NULL: there is none. */
static hp_map_leaf *take_kept_leaf(void)
{
    /* acquire: P14, pairs with hp_map_give_leaf */
    return atomic_exchange_explicit(&kept_leaf, NULL, memory_order_acquire);
}

static bool reserve_leaf(size_t index)
{
    /* acquire: P5, pairs with install_leaf */
    if (atomic_load_explicit(&root[index], memory_order_acquire) != NULL) {
        return true;
    }
    hp_map_leaf *leaf = hp_storage_map(sizeof *leaf);
    leaf = leaf != NULL ? leaf : take_kept_leaf();
    if (leaf == NULL) {
        return false;
    }
    if (!install_leaf(index, leaf)) {
        hp_storage_unmap(leaf, sizeof *leaf);
    }
    return true;
}

hp_map_leaf *hp_map_take_leaf(void)
{
    hp_map_leaf *kept = take_kept_leaf();
    return kept != NULL ? kept : hp_storage_map(sizeof *kept);
}

void hp_map_give_leaf(hp_map_leaf *leaf, const void *start)
{
    if (start != NULL && install_leaf((uintptr_t)start >> (ENTRY_LOG2 + LEAF_LOG2), leaf)) {
        return;
    }
    hp_map_leaf *absent = NULL;
    /* release: P14, pairs with take_kept_leaf. relaxed on failure: there is one already */
    if (!atomic_compare_exchange_strong_explicit(&kept_leaf, &absent, leaf, memory_order_release,
                                                 memory_order_relaxed)) {
        hp_storage_unmap(leaf, sizeof *leaf);
    }
}

bool hp_map_reserve(const void *start, size_t bytes)
{
    size_t first = (uintptr_t)start >> (ENTRY_LOG2 + LEAF_LOG2);
    size_t last = ((uintptr_t)start + bytes - 1) >> (ENTRY_LOG2 + LEAF_LOG2);
    if (last >= ROOT_ENTRIES) {
        return false;
    }
    for (size_t index = first; index <= last; index++) {
        if (!reserve_leaf(index)) {
            return false;
        }
    }
    return true;
}

bool hp_map_retire(const void *start, hp_entry entry)
{
    size_t page = (uintptr_t)start >> ENTRY_LOG2;
    hp_map_leaf *leaf = leaf_of(page);
    /* acq_rel: P6, pairs with hp_map_get and hp_map_set. relaxed on failure: nothing is read then */
    return atomic_compare_exchange_strong_explicit(&leaf->entries[page & (LEAF_ENTRIES - 1)],
                                                   &entry, HP_ENTRY_FREED, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

static void set_entries(hp_map_leaf *leaf, size_t first, size_t count, hp_entry entry)
{
    for (size_t index = first; index < first + count; index++) {
        /* release: P6, pairs with hp_map_get */
        atomic_store_explicit(&leaf->entries[index], entry, memory_order_release);
    }
}

void hp_map_set(const void *start, size_t bytes, hp_entry entry)
{
    size_t page = (uintptr_t)start >> ENTRY_LOG2;
    size_t end = (((uintptr_t)start + bytes - 1) >> ENTRY_LOG2) + 1;
    while (page < end) {
        size_t index = page & (LEAF_ENTRIES - 1);
        size_t count = end - page < LEAF_ENTRIES - index ? end - page : LEAF_ENTRIES - index;
        set_entries(leaf_of(page), index, count, entry);
        page += count;
    }
}

void hp_map_set_page(const void *start, hp_entry entry)
{
    size_t page = (uintptr_t)start >> ENTRY_LOG2;
    set_entries(leaf_of(page), page & (LEAF_ENTRIES - 1), 1, entry);
}
