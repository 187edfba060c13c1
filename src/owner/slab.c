#include "owner/slab.h"

#include <string.h>

#include "arena/arena.h"
#include "metadata/address_map.h"
#include "metadata/storage.h"
#include "owner/owner.h"
#include "owner/singles.h"
#include "owner/slab_pages.h"
#include "platform/system.h"

static unsigned words_of(unsigned size_class)
{
    size_t slots = hp_class_slab_bytes(size_class) / hp_class_bytes(size_class);
    return (unsigned)((slots + 63) / 64);
}

unsigned hp_slab_record_capacity(unsigned size_class)
{
    unsigned words = words_of(size_class);
    return words == 1 ? 0 : hp_highest_bit(words - 1) + 1;
}

hp_slab *hp_slab_new_record(hp_owner *owner, unsigned capacity)
{
    size_t words_bytes = sizeof(uint64_t) << capacity;
    size_t shared_bytes = hp_round_up(offsetof(hp_slab, remote) + words_bytes, HP_CACHE_LINE_BYTES);
    char *record = hp_storage_take(shared_bytes + sizeof(hp_slab_free) + words_bytes);
    if (record == NULL) {
        return NULL;
    }
    hp_slab *slab = (hp_slab *)(void *)record;
    slab->owner = owner;
    slab->free = (hp_slab_free *)(void *)(record + shared_bytes);
    return slab;
}

static void fill_words(hp_slab *slab)
{
    hp_slab_free *free = slab->free;
    for (unsigned word = 0; word < slab->word_count; word++) {
        unsigned left = slab->slot_count - word * 64;
        free->words[word] = left >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << left) - 1;
    }
    free->nonempty = slab->word_count == 64 ? ~(uint64_t)0 : ((uint64_t)1 << slab->word_count) - 1;
    free->free_count = slab->slot_count;
    free->previous = NULL;
    free->next = NULL;
}

/*
 * Of an owner's first slab of a class little may be used for long: on fresh pages the rest of it costs no memory,
 * while touched ones are of use to others.
 */
static bool take_run(hp_owner *owner, unsigned size_class, hp_run *run)
{
    size_t bytes = hp_class_slab_bytes(size_class);
    if (owner->classes[size_class].slab_count == 0) {
        return hp_arena_take_untouched(bytes, HP_GRAIN_BYTES, run);
    }
    /* Before fresh pages are touched the depot's runs may come together to what serves. */
    if (hp_singles_have_runs(owner)) {
        if (hp_arena_take_touched(bytes, HP_GRAIN_BYTES, run)) {
            return true;
        }
        hp_singles_free_runs(owner);
    }
    return hp_arena_take(bytes, HP_GRAIN_BYTES, run);
}

bool hp_slab_open(hp_slab *slab, unsigned size_class)
{
    hp_run run;
    if (!take_run(slab->owner, size_class, &run)) {
        return false;
    }
    size_t slot_bytes = hp_class_bytes(size_class);
    slab->base = run.start;
    slab->reciprocal = hp_reciprocal(slot_bytes);
    slab->slot_bytes = (uint32_t)slot_bytes;
    slab->slot_count = (uint32_t)(run.bytes / slot_bytes);
    slab->region = run.region;
    slab->chunk = run.chunk;
    slab->size_class = (uint16_t)size_class;
    slab->word_count = (uint16_t)words_of(size_class);
    slab->free->untouched_from = 0;
    slab->free->zeroed = run.zeroed;
    slab->free->given_back_pages = 0;
    slab->free->resting_pages = 0;
    /* relaxed: nobody has a block of it; of those that were never freed by the program bits may be left */
    atomic_store_explicit(&slab->out, 0, memory_order_relaxed);
    fill_words(slab);
    hp_map_set(slab->base, run.bytes, hp_entry_of(HP_KIND_SLAB, slab));
    if (size_class < HP_CACHED_CLASSES) {
        hp_hot_set(hp_grain_of(slab->base), slab->owner->id, hp_line_offset(size_class), slab);
    }
    return true;
}

void hp_slab_close(hp_slab *slab)
{
    if (slab->size_class < HP_CACHED_CLASSES) {
        hp_hot_clear(hp_grain_of(slab->base));
    }
    /* relaxed: nobody holds a block of it */
    atomic_store_explicit(&slab->joined, NULL, memory_order_relaxed);
    hp_map_set(slab->base, hp_class_slab_bytes(slab->size_class), HP_ENTRY_FREED);
    hp_region_free(slab->region, slab->chunk);
}

static unsigned take_from_word(hp_slab *slab, unsigned word, unsigned count, void **chunks)
{
    hp_slab_free *free = slab->free;
    size_t slot_bytes = slab->slot_bytes;
    char *base = slab->base + word * 64 * slot_bytes;
    uint64_t bits = free->words[word];
    unsigned taken = 0;
    do {
        chunks[taken++] = base + hp_lowest_bit(bits) * slot_bytes;
        bits &= bits - 1;
    } while (bits != 0 && taken < count);
    free->words[word] = bits;
    return taken;
}

unsigned hp_slab_take(hp_slab *slab, unsigned count, void **chunks)
{
    hp_slab_free *free = slab->free;
    unsigned taken = 0;
    do {
        unsigned word = hp_lowest_bit(free->nonempty);
        taken += take_from_word(slab, word, count - taken, chunks + taken);
        if (free->words[word] == 0) {
            free->nonempty &= free->nonempty - 1;
        }
    } while (taken < count && free->nonempty != 0);
    free->free_count -= taken;
    hp_slab_note_use(slab, (size_t)((char *)chunks[0] - slab->base),
                     (size_t)((char *)chunks[taken - 1] - slab->base) + slab->slot_bytes);
    return taken;
}

/* How many bits from the lowest on are set without a gap; bits is not 0 there. */
static unsigned run_of_ones(uint64_t bits)
{
    return ~bits == 0 ? 64 : hp_lowest_bit(~bits);
}

char *hp_slab_take_groups(hp_slab *slab, unsigned *groups)
{
    hp_slab_free *free = slab->free;
    unsigned word = hp_lowest_bit(free->nonempty);
    uint64_t bits = free->words[word];
    unsigned lowest = hp_lowest_bit(bits);
    unsigned found = run_of_ones(bits >> lowest) / HP_SLAB_GROUP_SLOTS;
    unsigned taken = found < *groups ? found : *groups;
    if (taken == 0) {
        return NULL;
    }
    unsigned slots = taken * HP_SLAB_GROUP_SLOTS;
    bits &= ~((~(uint64_t)0 >> (64 - slots)) << lowest);
    free->words[word] = bits;
    if (bits == 0) {
        free->nonempty &= free->nonempty - 1;
    }
    free->free_count -= slots;
    *groups = taken;
    size_t offset = (word * 64 + lowest) * (size_t)slab->slot_bytes;
    hp_slab_note_use(slab, offset, offset + slots * (size_t)slab->slot_bytes);
    return slab->base + offset;
}

uint64_t hp_slab_put_word(hp_slab *slab, unsigned word, uint64_t bits)
{
    hp_slab_free *free = slab->free;
    unsigned left = slab->slot_count - word * 64;
    uint64_t no_slots = left >= 64 ? 0 : ~(uint64_t)0 << left;
    uint64_t twice = (free->words[word] | no_slots) & bits;
    bits &= ~twice;
    free->words[word] |= bits;
    free->nonempty |= (uint64_t)(bits != 0) << word;
    free->free_count += hp_count_bits(bits);
    return twice;
}

const char *hp_slab_check(const hp_slab *slab)
{
    const hp_slab_free *free = slab->free;
    uint32_t count = 0;
    for (unsigned word = 0; word < slab->word_count; word++) {
        count += hp_count_bits(free->words[word]);
        if ((free->words[word] != 0) != ((free->nonempty >> word & 1) != 0)) {
            return "L1: nonempty does not match a bitmap word";
        }
        unsigned left = slab->slot_count - word * 64;
        if (left < 64 && free->words[word] >> left != 0) {
            return "L2: a bit beyond the last slot is set";
        }
    }
    return count == free->free_count ? hp_slab_pages_check(slab)
                                     : "L2: free_count is not the number of free slots";
}
