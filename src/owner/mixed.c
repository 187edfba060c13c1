#include "owner/mixed.h"

#include "metadata/storage.h"
#include "owner/retire.h"
#include "platform/build.h"
#include "platform/report.h"

/* A block takes so much more than its class at most. */
#define WASTE_PART 8u

/* Of a list: slots of some sizes make a block of the class with little waste, those of others do not. */
#define LIST_LOOKS 16u

/* Of a class: what survives is spread over all of its slabs alike. */
#define CLASS_LOOKS 4u

/* The largest n for which 2^n set bits lie in a row; there is a bit. */
static unsigned run_log2(uint64_t bits)
{
    unsigned log2 = 0;
    while (log2 + 1 < HP_MIXED_LISTS) {
        uint64_t twice_as_long = bits & bits >> (1u << log2);
        if (twice_as_long == 0) {
            break;
        }
        bits = twice_as_long;
        log2++;
    }
    return log2;
}

/* Where a run of so many set bits begins. */
static uint64_t runs_of(uint64_t bits, unsigned length)
{
    while (length > 1) {
        bits &= bits >> length / 2;
        length -= length / 2;
    }
    return bits;
}

static bool has_hole(const hp_slab *slab, unsigned slots)
{
    uint64_t words = slab->free->nonempty;
    while (words != 0 && runs_of(slab->free->words[hp_lowest_bit(words)], slots) == 0) {
        words &= words - 1;
    }
    return words != 0;
}

static unsigned hole_log2(const hp_slab *slab)
{
    unsigned largest = 0;
    for (uint64_t words = slab->free->nonempty; words != 0; words &= words - 1) {
        unsigned log2 = run_log2(slab->free->words[hp_lowest_bit(words)]);
        largest = log2 > largest ? log2 : largest;
    }
    return largest;
}

/* How many slots a block of the bytes takes; 0: too many, or too much of them would be lost. */
static unsigned slots_of_block(size_t slot_bytes, size_t bytes)
{
    size_t slots = (bytes + slot_bytes - 1) / slot_bytes;
    bool suits = slots <= HP_MIXED_MOST_SLOTS && slots * slot_bytes <= bytes + bytes / WASTE_PART;
    return suits ? (unsigned)slots : 0;
}

static const char *check_words(const hp_slab *slab)
{
    for (unsigned word = 0; word < slab->word_count; word++) {
        /* relaxed: nobody changes it */
        uint64_t joined =
            atomic_load_explicit(&slab->free->joined_words[word], memory_order_relaxed);
        if ((joined & 1) != 0 || (joined & slab->free->words[word]) != 0) {
            return "MX1: a joined slot is free, or the first one of a word";
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

static void link_mixed(hp_owner *owner, hp_slab *slab, unsigned list)
{
    slab->free->mixed_list = (uint16_t)list;
    hp_owner_link(&owner->mixed[list], slab);
}

static void unlink_mixed(hp_owner *owner, hp_slab *slab)
{
    hp_owner_unlink(&owner->mixed[slab->free->mixed_list], slab);
}

static void move_mixed(hp_owner *owner, hp_slab *slab, unsigned list)
{
    if (list != slab->free->mixed_list) {
        unlink_mixed(owner, slab);
        link_mixed(owner, slab, list);
    }
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

static void *take_block(hp_slab *slab, unsigned word, unsigned bit, unsigned slots)
{
    uint64_t block = (((uint64_t)2 << (slots - 1)) - 1) << bit;
    slab->free->words[word] &= ~block;
    join(slab, word, block & (block - 1));
    size_t offset = (size_t)(word * 64 + bit) * slab->slot_bytes;
    hp_slab_note_use(slab, offset, offset + (size_t)slots * slab->slot_bytes);
    return slab->base + offset;
}

static unsigned take_blocks(hp_slab *slab, unsigned slots, unsigned count, void **chunks)
{
    hp_slab_free *free = slab->free;
    unsigned taken = 0;
    for (uint64_t words = free->nonempty; words != 0 && taken < count; words &= words - 1) {
        unsigned word = hp_lowest_bit(words);
        uint64_t begins;
        while (taken < count && (begins = runs_of(free->words[word], slots)) != 0) {
            chunks[taken++] = take_block(slab, word, hp_lowest_bit(begins), slots);
        }
        if (free->words[word] == 0) {
            free->nonempty &= ~((uint64_t)1 << word);
        }
    }
    free->free_count -= taken * slots;
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
        /* What is left of it has no such hole. */
        slab->free->hole_end = (uint16_t)slots;
        move_mixed(owner, slab, hp_highest_bit(slots - 1));
    }
    return taken;
}

/* From the smallest holes that may be large enough on. */
static unsigned take_from_lists(hp_owner *owner, size_t bytes, unsigned count, void **chunks)
{
    unsigned taken = 0;
    for (unsigned list = 0; list < HP_MIXED_LISTS && taken < count; list++) {
        hp_slab *slab = owner->mixed[list].first;
        for (unsigned looks = 0; slab != NULL && looks < LIST_LOOKS && taken < count; looks++) {
            hp_slab *next = slab->free->next;
            unsigned slots = slots_of_block(slab->slot_bytes, bytes);
            if (slots != 0 && slots < slab->free->hole_end && slots < 2u << list) {
                taken += take_from(owner, slab, slots, count - taken, chunks + taken);
            }
            slab = next;
        }
    }
    return taken;
}

/* Half of it is free, in holes that are large enough; the one that serves its class stays with it. */
static hp_slab *sparse_slab(const hp_class_slabs *slabs, unsigned slots)
{
    hp_slab *slab = slabs->first == NULL ? NULL : slabs->first->free->next;
    for (unsigned looks = 0; slab != NULL && looks < CLASS_LOOKS; looks++) {
        uint32_t free_count = slab->free->free_count;
        if (free_count >= slab->slot_count / 2 && free_count < slab->slot_count &&
            has_hole(slab, slots)) {
            return slab;
        }
        slab = slab->free->next;
    }
    return NULL;
}

static hp_slab *find_sparse(hp_owner *owner, size_t bytes, unsigned *slots)
{
    for (unsigned looks = 0; looks < HP_CACHED_CLASSES; looks++) {
        unsigned size_class = owner->next_to_mix;
        const hp_class_slabs *slabs = &owner->classes[size_class];
        if (slabs->slab_count >= HP_SLABS_OF_ITS_OWN) {
            *slots = slots_of_block(hp_class_bytes(size_class), bytes);
            hp_slab *slab = *slots == 0 ? NULL : sparse_slab(slabs, *slots);
            if (slab != NULL) {
                return slab;
            }
        }
        owner->next_to_mix = (size_class + 1) % HP_CACHED_CLASSES;
    }
    return NULL;
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
    hp_owner_unlink(&owner->classes[slab->size_class], slab);
    hp_hot_hide(hp_grain_of(slab->base));
    /* release: P18, pairs with hp_slab_block_bits */
    atomic_store_explicit(&slab->joined, joined, memory_order_release);
    slab->free->hole_end = HP_MIXED_MOST_SLOTS + 1;
    link_mixed(owner, slab, hole_log2(slab));
    return true;
}

/* The chunks of a crowd's blocks are in many hands: there slabs hardly ever become sparse, but for a moment. */
static unsigned take_from_another(hp_owner *owner, size_t bytes, unsigned count, void **chunks)
{
    unsigned slots;
    hp_slab *slab = hp_owner_is_crowded(owner) ? NULL : find_sparse(owner, bytes, &slots);
    bool serves = slab != NULL && make_mixed(owner, slab);
    return serves ? take_from(owner, slab, slots, count, chunks) : 0;
}

unsigned hp_mixed_take(hp_owner *owner, unsigned size_class, unsigned count, void **chunks)
{
    size_t bytes = hp_class_bytes(size_class);
    unsigned taken = take_from_lists(owner, bytes, count, chunks);
    return taken != 0 ? taken : take_from_another(owner, bytes, count, chunks);
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
    unsigned list = run_log2(free->words[word]);
    unsigned end = 2u << list; /* this word has no longer one */
    free->hole_end = (uint16_t)(end > free->hole_end ? end : free->hole_end);
    if (was_full) {
        link_mixed(owner, slab, list);
    } else if (list > free->mixed_list) {
        move_mixed(owner, slab, list);
    }
    return twice;
}

static const char *check_slab(const hp_owner *owner, const hp_slab *slab, unsigned list)
{
    if (slab->owner != owner || slab->free->mixed_list != list || hp_slab_joined(slab) == NULL) {
        return "MX2: a slab is in a list that is not its own";
    }
    if (slab->free->free_count == 0 || slab->free->free_count == slab->slot_count) {
        return "MX2: a listed slab is full, or wholly free";
    }
    if (hole_log2(slab) > list ||
        (slab->free->hole_end <= HP_MIXED_MOST_SLOTS && has_hole(slab, slab->free->hole_end))) {
        return "MX3: a slab has a larger hole than is known";
    }
    return check_words(slab);
}

const char *hp_mixed_check(const hp_owner *owner)
{
    for (unsigned list = 0; list < HP_MIXED_LISTS; list++) {
        for (const hp_slab *slab = owner->mixed[list].first; slab != NULL;
             slab = slab->free->next) {
            const char *broken = check_slab(owner, slab, list);
            if (broken != NULL) {
                return broken;
            }
        }
    }
    return NULL;
}
