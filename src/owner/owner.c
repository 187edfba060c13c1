#include "owner/owner.h"

#include "owner/depot.h"
#include "owner/lists.h"
#include "owner/mixed.h"
#include "owner/retire.h"
#include "owner/singles.h"
#include "platform/build.h"
#include "platform/report.h"

static const char *check_slabs(const hp_owner *owner);

/* The depot changes without the claim. */
static void check(const hp_owner *owner)
{
    const char *broken = hp_debug ? check_slabs(owner) : NULL;
    if (broken != NULL) {
        hp_broken("owner", broken);
    }
}

/* The whole owner is too much to walk at every step. */
static void check_slab(const hp_slab *slab)
{
    const char *broken = hp_debug ? hp_slab_check(slab) : NULL;
    if (broken != NULL) {
        hp_broken("slab", broken);
    }
}

static void note_empty(hp_owner *owner, hp_slab *slab)
{
    owner->classes[slab->size_class].empty = slab;
    owner->empty_classes[slab->size_class / 64] |= UINT64_C(1) << slab->size_class % 64;
    owner->empty_bytes += (uint32_t)hp_class_slab_bytes(slab->size_class);
}

static void note_not_empty(hp_owner *owner, const hp_slab *slab)
{
    owner->classes[slab->size_class].empty = NULL;
    owner->empty_classes[slab->size_class / 64] &= ~(UINT64_C(1) << slab->size_class % 64);
    owner->empty_bytes -= (uint32_t)hp_class_slab_bytes(slab->size_class);
}

static void count_slab_bytes(hp_owner *owner, uint64_t change_bytes)
{
    /* relaxed: only the holder of the claim writes; others read a size to go by */
    uint64_t bytes = atomic_load_explicit(&owner->slab_bytes, memory_order_relaxed);
    /* relaxed: as above */
    atomic_store_explicit(&owner->slab_bytes, bytes + change_bytes, memory_order_relaxed);
}

/* The record waits for the next slab that needs one of its capacity. */
static void spare_record(hp_owner *owner, hp_slab *slab, unsigned capacity)
{
    slab->free->next = owner->spare_records[capacity];
    owner->spare_records[capacity] = slab;
}

static HP_SLOW hp_slab *open_slab(hp_owner *owner, unsigned size_class)
{
    unsigned capacity = hp_slab_record_capacity(size_class);
    hp_slab *slab = owner->spare_records[capacity];
    if (slab != NULL) {
        owner->spare_records[capacity] = slab->free->next;
    } else {
        slab = hp_slab_new_record(owner, capacity);
        if (slab == NULL) {
            return NULL;
        }
    }
    if (!hp_slab_open(slab, size_class)) {
        spare_record(owner, slab, capacity);
        return NULL;
    }
    hp_class_slabs *slabs = &owner->classes[size_class];
    slabs->slab_count++;
    count_slab_bytes(owner, hp_class_slab_bytes(size_class));
    note_empty(owner, slab);
    hp_list_link(&slabs->first, slab);
    return slab;
}

void hp_owner_close(hp_owner *owner, hp_slab *slab)
{
    owner->classes[slab->size_class].slab_count--;
    count_slab_bytes(owner, -(uint64_t)hp_class_slab_bytes(slab->size_class));
    hp_slab_close(slab);
    spare_record(owner, slab, hp_slab_record_capacity(slab->size_class));
}

static void close_slab(hp_owner *owner, hp_slab *slab)
{
    hp_list_unlink(&owner->classes[slab->size_class].first, slab);
    hp_owner_close(owner, slab);
}

bool hp_owner_close_empty(hp_owner *owner, unsigned size_class)
{
    hp_slab *slab = owner->classes[size_class].empty;
    if (slab != NULL) {
        note_not_empty(owner, slab);
        close_slab(owner, slab);
    }
    return slab != NULL;
}

/*
 * The slab that serves the class, which has a free slot; NULL: out of memory. Of the first two the fuller
 * one serves, so that the other can empty and fresh pages stay untouched while used ones have room.
 */
#define WORTH_A_TURN 8u

HP_INLINE hp_slab *serving_slab(hp_owner *owner, unsigned size_class)
{
    hp_class_slabs *slabs = &owner->classes[size_class];
    hp_slab *slab = slabs->first;
    if (HP_UNLIKELY(slab == NULL)) {
        return open_slab(owner, size_class);
    }
    hp_slab *second = slab->free->next;
    if (HP_LIKELY(second == NULL || second->free->free_count >= slab->free->free_count ||
                  second->free->free_count < WORTH_A_TURN)) {
        return slab;
    }
    hp_list_unlink(&slabs->first, slab);
    hp_list_link(&slabs->first, slab); /* behind the second, which is the first now */
    return second;
}

/* After slots were taken: the slab is not wholly free any more, and may be full. */
HP_INLINE void settle_taken(hp_owner *owner, hp_slab *slab, bool was_empty)
{
    if (HP_UNLIKELY(was_empty)) {
        note_not_empty(owner, slab);
    }
    if (HP_UNLIKELY(slab->free->free_count == 0)) {
        hp_list_unlink(&owner->classes[slab->size_class].first, slab);
    }
}

char *hp_owner_take_groups(hp_owner *owner, unsigned size_class, unsigned *groups)
{
    hp_slab *slab = serving_slab(owner, size_class);
    if (HP_UNLIKELY(slab == NULL)) {
        return NULL;
    }
    bool was_empty = slab->free->free_count == slab->slot_count;
    char *first = hp_slab_take_groups(slab, groups);
    if (first != NULL) {
        settle_taken(owner, slab, was_empty);
    }
    check_slab(slab);
    return first;
}

unsigned hp_owner_take(hp_owner *owner, unsigned size_class, unsigned count, void **chunks)
{
    hp_slab *slab = serving_slab(owner, size_class);
    if (HP_UNLIKELY(slab == NULL)) {
        return 0;
    }
    bool was_empty = slab->free->free_count == slab->slot_count;
    unsigned taken = hp_slab_take(slab, count, chunks);
    if (size_class >= HP_SMALL_CLASSES) {
        hp_slab_note_touched(slab, hp_slab_index(slab, chunks[taken - 1]));
    }
    settle_taken(owner, slab, was_empty);
    check_slab(slab);
    return taken;
}

/* Every single slot goes this way: the watermark that tells of zeros must miss none. */
HP_INLINE void *take_one(hp_owner *owner, hp_slab *slab, bool *zeroed)
{
    bool was_empty = slab->free->free_count == slab->slot_count;
    uint32_t index = hp_slab_take_one(slab);
    settle_taken(owner, slab, was_empty);
    check_slab(slab);
    if (slab->size_class >= HP_CACHED_CLASSES) {
        hp_slab_note_out(slab, index);
    }
    /* Small slots are also taken in groups, which no watermark follows. */
    *zeroed = slab->size_class >= HP_SMALL_CLASSES && hp_slab_note_touched(slab, index);
    return slab->base + (size_t)index * slab->slot_bytes;
}

void *hp_owner_take_one(hp_owner *owner, unsigned size_class, bool *zeroed)
{
    hp_slab *slab = serving_slab(owner, size_class);
    if (HP_UNLIKELY(slab == NULL)) {
        return NULL;
    }
    return take_one(owner, slab, zeroed);
}

void *hp_owner_take_at_least(hp_owner *owner, unsigned size_class, bool *zeroed)
{
    void *chunk = NULL;
    *zeroed = false;
    for (; size_class < HP_CLASSES && chunk == NULL; size_class++) {
        hp_slab *slab = owner->classes[size_class].first;
        chunk = slab != NULL ? take_one(owner, slab, zeroed) : hp_mixed_scrape(owner, size_class);
    }
    return chunk;
}

/* The first class from this one on, but for the one that keeps its own, that has a wholly free slab; HP_CLASSES: none. */
static unsigned next_empty_class(const hp_owner *owner, unsigned first, unsigned kept_class)
{
    for (unsigned word = first / 64; word < HP_CLASS_WORDS; word++) {
        uint64_t bits = owner->empty_classes[word];
        bits &= word == first / 64 ? ~UINT64_C(0) << first % 64 : ~UINT64_C(0);
        bits &= word == kept_class / 64 ? ~(UINT64_C(1) << kept_class % 64) : ~UINT64_C(0);
        if (bits != 0) {
            return word * 64 + hp_lowest_bit(bits);
        }
    }
    return HP_CLASSES;
}

/*
 * Too much of what is kept is wholly free: the next class in turn gives up its slab, not the one that was
 * emptied just now, which is likely to be wanted again.
 */
static HP_SLOW void close_another(hp_owner *owner, unsigned kept_class)
{
    unsigned size_class = next_empty_class(owner, owner->next_to_close, kept_class);
    size_class = size_class != HP_CLASSES ? size_class : next_empty_class(owner, 0, kept_class);
    if (size_class != HP_CLASSES) {
        hp_owner_close_empty(owner, size_class);
        owner->next_to_close = size_class + 1;
    }
}

/* After slots became free: the slab may enter its list, or leave the owner. */
HP_INLINE void settle(hp_owner *owner, hp_slab *slab, bool was_full)
{
    hp_class_slabs *slabs = &owner->classes[slab->size_class];
    check_slab(slab);
    hp_owner_have_watched(owner);
    if (HP_UNLIKELY(was_full)) {
        hp_list_link(&slabs->first, slab);
    }
    if (HP_LIKELY(slab->free->free_count != slab->slot_count)) {
        return;
    }
    if (slabs->empty != NULL) {
        close_slab(owner, slab);
        return;
    }
    note_empty(owner, slab);
    if (owner->empty_bytes > HP_OWNER_EMPTY_BYTES) {
        close_another(owner, slab->size_class);
    }
}

unsigned hp_owner_put_run(hp_owner *owner, hp_slab *slab, void *const *chunks, unsigned count)
{
    uint32_t free_before = slab->free->free_count;
    unsigned done = hp_slab_put_run(slab, chunks, count);
    /* Unless all of them were reported. */
    if (HP_LIKELY(slab->free->free_count != free_before)) {
        settle(owner, slab, free_before == 0);
    }
    return done;
}

uint64_t hp_owner_put_word(hp_owner *owner, hp_slab *slab, unsigned word, uint64_t bits)
{
    if (HP_UNLIKELY(hp_slab_joined(slab) != NULL)) {
        return hp_mixed_put_word(owner, slab, word, bits);
    }
    bool was_full = slab->free->free_count == 0;
    uint64_t twice = hp_slab_put_word(slab, word, bits);
    if (HP_LIKELY(twice != bits)) {
        settle(owner, slab, was_full);
    }
    return twice;
}

bool hp_owner_put_block(hp_owner *owner, hp_slab *slab, uint32_t index)
{
    uint32_t end = index + hp_slab_block_slots(slab, index);
    uint64_t twice = 0;
    /* The first slot goes last: until then what is left is a block that somebody holds. */
    for (unsigned next = (end - 1) / 64 + 1; next > index / 64; next--) {
        twice |= hp_owner_put_word(owner, slab, next - 1, hp_slab_bits(next - 1, index, end));
    }
    return twice == 0;
}

void hp_owner_trim(hp_owner *owner)
{
    hp_depot_empty(owner);
    for (unsigned size_class = 0; size_class < HP_CLASSES; size_class++) {
        hp_owner_close_empty(owner, size_class);
    }
    check(owner);
}

static const char *check_class(const hp_owner *owner, unsigned size_class)
{
    const hp_class_slabs *slabs = &owner->classes[size_class];
    uint32_t empty = 0;
    const hp_slab *previous = NULL;
    for (const hp_slab *slab = slabs->first; slab != NULL; slab = slab->free->next) {
        const char *broken = hp_slab_check(slab);
        if (broken != NULL) {
            return broken;
        }
        if (slab->owner != owner || slab->size_class != size_class) {
            return "O4: a slab is in another owner's or class's list";
        }
        if (slab->free->free_count == 0 || slab->free->previous != previous) {
            return "O2: a full slab is listed, or the list is torn";
        }
        bool is_empty = slab->free->free_count == slab->slot_count;
        if (is_empty != (slab == slabs->empty)) {
            return "O2: the wholly free slab of a class is not the one that is noted, or not the "
                   "only one";
        }
        empty += is_empty;
        previous = slab;
    }
    bool noted = (owner->empty_classes[size_class / 64] >> size_class % 64 & 1) != 0;
    return (empty != 0) == (slabs->empty != NULL) && noted == (empty != 0)
               ? NULL
               : "O2: a wholly free slab is noted that is none";
}

/* Under the claim. */
static const char *check_slabs(const hp_owner *owner)
{
    for (unsigned size_class = 0; size_class < HP_CLASSES; size_class++) {
        const char *broken = check_class(owner, size_class);
        if (broken != NULL) {
            return broken;
        }
    }
    return hp_mixed_check(owner);
}

const char *hp_owner_check(const hp_owner *owner)
{
    const char *broken = check_slabs(owner);
    broken = broken == NULL ? hp_depot_check(owner) : broken;
    return broken == NULL ? hp_singles_check(owner) : broken;
}
