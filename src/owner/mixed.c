#include "owner/mixed.h"

#include "metadata/storage.h"
#include "owner/holes.h"
#include "owner/lists.h"
#include "owner/retire.h"
#include "owner/sparse.h"
#include "platform/build.h"
#include "platform/report.h"

/* At mixed slabs, of which not each may have a hole that is large enough: of a list at first, then of all lists. */
#define LIST_LOOKS 4u
#define MIXED_LOOKS 256u

static const char *check_words(const hp_slab *slab)
{
    for (unsigned word = 0; word < slab->word_count; word++) {
        /* relaxed: nobody changes it */
        uint64_t joined =
            atomic_load_explicit(&slab->free->joined_words[word], memory_order_relaxed);
        if ((word == 0 && (joined & 1) != 0) || (joined & slab->free->words[word]) != 0) {
            return "MX1: a joined slot is free, or the first one of its slab";
        }
    }
    return hp_slab_check(slab);
}

static void check(const hp_slab *slab)
{
    const char *broken = hp_debug ? check_words(slab) : NULL;
    if (broken != NULL) {
        hp_broken("mixed slab", broken);
    }
}

static hp_mixed_list *list_of(hp_owner *owner, const hp_slab *slab)
{
    return &owner->mixed[slab->size_class][slab->free->hole_log2];
}

static void note_listed(hp_owner *owner, const hp_slab *slab)
{
    owner->mixed_lists[slab->size_class] |= (uint16_t)(1u << slab->free->hole_log2);
}

static void unlink_mixed(hp_owner *owner, hp_slab *slab)
{
    hp_mixed_list *list = list_of(owner, slab);
    hp_list_take_out(list, slab);
    if (list->first == NULL) {
        owner->mixed_lists[slab->size_class] &= (uint16_t) ~(1u << slab->free->hole_log2);
    }
}

/* To where it is looked at first. */
static void link_mixed(hp_owner *owner, hp_slab *slab, unsigned log2)
{
    slab->free->hole_log2 = (uint16_t)log2;
    hp_list_put_first(list_of(owner, slab), slab);
    note_listed(owner, slab);
}

/* To where it is looked at last: it has no hole of so many slots. */
static void put_back(hp_owner *owner, hp_slab *slab, unsigned slots)
{
    unlink_mixed(owner, slab);
    slab->free->hole_end = (uint16_t)slots;
    unsigned most_log2 = hp_highest_bit(slots - 1);
    if (most_log2 < slab->free->hole_log2) {
        slab->free->hole_log2 = (uint16_t)most_log2;
    }
    hp_list_put_last(list_of(owner, slab), slab);
    note_listed(owner, slab);
}

static void join(hp_slab *slab, unsigned word, uint64_t further)
{
    _Atomic uint64_t *joined = slab->free->joined_words;
    /* relaxed: only the holder of the claim writes; who frees the block has it from the program */
    uint64_t old = atomic_load_explicit(&joined[word], memory_order_relaxed);
    /* relaxed: as above */
    atomic_store_explicit(&joined[word], old | further, memory_order_relaxed);
}

static void part(hp_slab *slab, unsigned word, uint64_t bits)
{
    _Atomic uint64_t *joined = slab->free->joined_words;
    /* relaxed: as in join */
    uint64_t old = atomic_load_explicit(&joined[word], memory_order_relaxed);
    /* relaxed: as in join */
    atomic_store_explicit(&joined[word], old & ~bits, memory_order_relaxed);
}

static void *take_block(hp_slab *slab, uint32_t index, unsigned slots)
{
    hp_slab_free *free = slab->free;
    uint32_t end = index + slots;
    for (unsigned word = index / 64; word <= (end - 1) / 64; word++) {
        uint64_t bits = hp_slab_bits(word, index, end);
        free->words[word] &= ~bits;
        free->nonempty &= ~((uint64_t)(free->words[word] == 0) << word);
        join(slab, word, word == index / 64 ? bits & (bits - 1) : bits);
    }
    free->free_count -= slots;
    size_t offset = (size_t)index * slab->slot_bytes;
    hp_slab_note_use(slab, offset, offset + (size_t)slots * slab->slot_bytes);
    if (hp_is_above_lines((size_t)slots * slab->slot_bytes)) {
        hp_slab_note_out(slab, index);
    }
    return slab->base + offset;
}

static unsigned take_blocks(hp_slab *slab, unsigned slots, unsigned count, void **chunks)
{
    unsigned taken = 0;
    uint32_t index = hp_slab_hole(slab, 0, slots);
    while (index != HP_NO_HOLE) {
        chunks[taken++] = take_block(slab, index, slots);
        index = taken < count ? hp_slab_hole(slab, index / 64, slots) : HP_NO_HOLE;
    }
    return taken;
}

static unsigned take_from(hp_owner *owner, hp_slab *slab, unsigned slots, unsigned count,
                          void **chunks)
{
    unsigned taken = take_blocks(slab, slots, count, chunks);
    check(slab);
    if (slab->free->free_count == 0) {
        unlink_mixed(owner, slab);
    } else if (taken < count) {
        put_back(owner, slab, slots);
    }
    return taken;
}

/* Mixed slabs with slots of one size. */
typedef struct donor {
    uint32_t slot_bytes;
    uint16_t size_class;
    uint16_t slots; /* that a block takes */
    uint32_t lists; /* bit n: list n may have a hole for it, and was not looked at */
} donor;

static unsigned find_donors(const hp_owner *owner, unsigned size_class, donor *donors)
{
    uint32_t bytes = (uint32_t)hp_class_bytes(size_class);
    unsigned count = 0;
    for (unsigned each = 0; each <= size_class && each < HP_CACHED_CLASSES; each++) {
        if (owner->mixed_lists[each] == 0) {
            continue;
        }
        uint32_t slot_bytes = (uint32_t)hp_class_bytes(each);
        unsigned slots = hp_block_slots(slot_bytes, bytes);
        unsigned least = slots == 0 ? HP_MIXED_LISTS : hp_highest_bit(slots);
        uint32_t lists = (uint32_t)owner->mixed_lists[each] >> least << least;
        donors[count] = (donor){slot_bytes, (uint16_t)each, (uint16_t)slots, lists};
        count += lists != 0;
    }
    return count;
}

/* The one with the smallest holes that may be large enough; NULL: all were looked at. */
static donor *best_donor(donor *donors, unsigned count)
{
    donor *best = NULL;
    size_t best_bytes = SIZE_MAX;
    for (unsigned each = 0; each < count; each++) {
        size_t hole_bytes = donors[each].lists == 0 ? SIZE_MAX
                                                    : (size_t)donors[each].slot_bytes
                                                          << hp_lowest_bit(donors[each].lists);
        if (hole_bytes < best_bytes) {
            best = &donors[each];
            best_bytes = hole_bytes;
        }
    }
    return best;
}

/* Out of the next of its lists; *left: at so many slabs it may still be looked, in whichever list. */
static unsigned take_from_donor(hp_owner *owner, donor *from, unsigned most_of_list, unsigned *left,
                                unsigned count, void **chunks)
{
    hp_slab *slab = owner->mixed[from->size_class][hp_lowest_bit(from->lists)].first;
    from->lists &= from->lists - 1;
    unsigned taken = 0;
    unsigned looks = 0;
    for (; slab != NULL && *left > 0 && looks < most_of_list && taken < count; looks++, --*left) {
        hp_slab *next = slab->free->next;
        if (from->slots < slab->free->hole_end) {
            taken += take_from(owner, slab, from->slots, count - taken, chunks + taken);
        }
        slab = next;
    }
    return taken;
}

static unsigned take_from_mixed(hp_owner *owner, unsigned size_class, unsigned most_of_list,
                                unsigned count, void **chunks)
{
    donor donors[HP_CACHED_CLASSES];
    unsigned donor_count = find_donors(owner, size_class, donors);
    unsigned left = most_of_list > MIXED_LOOKS ? most_of_list : MIXED_LOOKS;
    unsigned taken = 0;
    donor *best = best_donor(donors, donor_count);
    while (best != NULL && taken < count && left > 0) {
        taken += take_from_donor(owner, best, most_of_list, &left, count - taken, chunks + taken);
        best = best_donor(donors, donor_count);
    }
    return taken;
}

/* False: the system refuses the words. */
static bool make_mixed(hp_owner *owner, hp_slab *slab)
{
    _Atomic uint64_t *joined = slab->free->joined_words;
    if (joined == NULL) {
        joined = hp_storage_take(sizeof *joined << hp_slab_record_capacity(slab->size_class));
        if (joined == NULL) {
            return false;
        }
        slab->free->joined_words = joined;
    }
    hp_list_unlink(&owner->classes[slab->size_class].first, slab);
    hp_hot_hide(hp_grain_of(slab->base));
    /* release: P18, pairs with hp_slab_joined */
    atomic_store_explicit(&slab->joined, joined, memory_order_release);
    slab->free->hole_end = (uint16_t)(slab->slot_count + 1);
    link_mixed(owner, slab, hp_holes_log2(slab->free->words, slab->word_count));
    return true;
}

/* The chunks of a crowd's blocks are in many hands: there slabs hardly ever become sparse, but for a moment. */
static unsigned take_from_another(hp_owner *owner, unsigned size_class, unsigned count,
                                  void **chunks)
{
    unsigned slots;
    hp_slab *slab = hp_owner_is_crowded(owner) ? NULL : hp_sparse_find(owner, size_class, &slots);
    bool serves = slab != NULL && make_mixed(owner, slab);
    return serves ? take_from(owner, slab, slots, count, chunks) : 0;
}

unsigned hp_mixed_take(hp_owner *owner, unsigned size_class, unsigned count, void **chunks)
{
    unsigned taken = take_from_mixed(owner, size_class, LIST_LOOKS, count, chunks);
    if (taken == 0) {
        taken = take_from_another(owner, size_class, count, chunks);
    }
    return taken != 0 ? taken : take_from_mixed(owner, size_class, MIXED_LOOKS, count, chunks);
}

void *hp_mixed_scrape(hp_owner *owner, unsigned size_class)
{
    void *chunk = NULL;
    if (take_from_mixed(owner, size_class, UINT32_MAX, 1, &chunk) == 0) {
        unsigned slots;
        hp_slab *slab = hp_sparse_find_any(owner, size_class, &slots);
        if (slab != NULL && make_mixed(owner, slab)) {
            take_from(owner, slab, slots, 1, &chunk);
        }
    }
    return chunk;
}

uint64_t hp_mixed_put_word(hp_owner *owner, hp_slab *slab, unsigned word, uint64_t bits)
{
    hp_slab_free *free = slab->free;
    bool was_full = free->free_count == 0;
    uint64_t twice = hp_slab_put_word(slab, word, bits);
    part(slab, word, bits & ~twice);
    check(slab);
    if (HP_UNLIKELY(twice == bits)) {
        return twice;
    }
    hp_owner_have_watched(owner);
    if (HP_UNLIKELY(free->free_count == slab->slot_count)) {
        if (!was_full) {
            unlink_mixed(owner, slab);
        }
        hp_owner_close(owner, slab);
        return twice;
    }
    unsigned log2 = hp_holes_log2_at(free->words, slab->word_count, word);
    unsigned end = 2u << log2; /* no hole that reaches into this word has so many slots */
    if (was_full) {
        free->hole_end = (uint16_t)end;
        link_mixed(owner, slab, log2);
    } else if (end > free->hole_end || log2 > free->hole_log2) {
        unlink_mixed(owner, slab);
        free->hole_end = (uint16_t)(end > free->hole_end ? end : free->hole_end);
        link_mixed(owner, slab, log2 > free->hole_log2 ? log2 : free->hole_log2);
    }
    return twice;
}

static const char *check_slab(const hp_owner *owner, const hp_slab *slab, unsigned size_class,
                              unsigned log2)
{
    const hp_slab_free *free = slab->free;
    if (slab->owner != owner || slab->size_class != size_class || free->hole_log2 != log2 ||
        hp_slab_joined(slab) == NULL) {
        return "MX2: a slab is in a list that is not its own";
    }
    if (free->free_count == 0 || free->free_count == slab->slot_count) {
        return "MX2: a listed slab is full, or wholly free";
    }
    if (hp_holes_log2(free->words, slab->word_count) > log2 ||
        hp_slab_hole(slab, 0, free->hole_end) != HP_NO_HOLE) {
        return "MX3: a slab has a larger hole than is known";
    }
    return check_words(slab);
}

static const char *check_list(const hp_owner *owner, unsigned size_class, unsigned log2)
{
    const hp_slab *slab = owner->mixed[size_class][log2].first;
    if ((slab != NULL) != ((owner->mixed_lists[size_class] >> log2 & 1) != 0)) {
        return "MX4: it is not told right which lists are empty";
    }
    const char *broken = NULL;
    for (; slab != NULL && broken == NULL; slab = slab->free->next) {
        broken = check_slab(owner, slab, size_class, log2);
    }
    return broken;
}

const char *hp_mixed_check(const hp_owner *owner)
{
    const char *broken = NULL;
    for (unsigned list = 0; list < HP_CACHED_CLASSES * HP_MIXED_LISTS && broken == NULL; list++) {
        broken = check_list(owner, list / HP_MIXED_LISTS, list % HP_MIXED_LISTS);
    }
    return broken;
}
