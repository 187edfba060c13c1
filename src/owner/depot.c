#include "owner/depot.h"

#include <string.h>

#include "metadata/address_map.h"
#include "owner/inbox.h"
#include "owner/owners.h"
#include "owner/retire.h"
#include "owner/room.h"
#include "owner/singles.h"
#include "platform/misuse.h"

static uint32_t part_of_slabs(const hp_owner *owner)
{
    /* relaxed: as long as memory is scarce, what is free shall be found where everybody looks for it */
    if (HP_UNLIKELY(atomic_load_explicit(&owner->scarce_passes, memory_order_relaxed) != 0)) {
        return 0;
    }
    uint32_t most_bytes =
        hp_owner_is_crowded(owner) ? HP_DEPOT_CROWD_MAX_BYTES : HP_DEPOT_ALONE_MAX_BYTES;
    /* relaxed: a size to go by */
    uint64_t slab_bytes = atomic_load_explicit(&owner->slab_bytes, memory_order_relaxed);
    uint64_t part_bytes = slab_bytes / HP_DEPOT_SLAB_PART;
    return part_bytes < most_bytes ? (uint32_t)part_bytes : most_bytes;
}

static uint32_t share_of(const hp_owner *owner)
{
    /* relaxed: moves when another owner comes; what is above it then goes at its time */
    return atomic_load_explicit(&owner->depot_bound_bytes, memory_order_relaxed);
}

/* The owner's share, and what the hands of many threads hold. */
static uint64_t medium_bound_bytes(const hp_owner *owner)
{
    return share_of(owner) + (uint64_t)hp_owner_threads(owner) * HP_HAND_MIN_BYTES;
}

/* The hands of all threads together hold no more than half of what there is, unless they are many. */
static uint32_t hand_bound_bytes(const hp_owner *owner)
{
    uint32_t part = (share_of(owner) + part_of_slabs(owner)) / 2 / (hp_owner_threads(owner) + 1);
    return part < HP_HAND_MIN_BYTES ? HP_HAND_MIN_BYTES : part;
}

static uint64_t held_bytes(const hp_owner *owner)
{
    /* relaxed: a count to go by */
    return atomic_load_explicit(&owner->depot_bytes, memory_order_relaxed);
}

bool hp_depot_takes_medium(const hp_owner *owner)
{
    return held_bytes(owner) <= medium_bound_bytes(owner);
}

static bool get_room(hp_owner *owner, hp_depot_hand *hand, uint32_t bytes)
{
    uint64_t bound = medium_bound_bytes(owner) + part_of_slabs(owner);
    if (HP_LIKELY(held_bytes(owner) + bytes > bound)) {
        return false;
    }
    hand->most_bytes = hand_bound_bytes(owner);
    uint32_t step = hp_room_step(hand->most_bytes, bytes);
    if (!hp_room_get(&owner->depot_bytes, bound, step)) {
        return false;
    }
    hand->room_bytes += step;
    return true;
}

/* Where all packs have been begun, so many other owners are asked for some. */
#define OTHERS_ASKED 8u

/* What another owner has to spare. */
static HP_SLOW hp_pack *pop_anothers_bundle(hp_owner *owner)
{
    hp_pack *bundle = NULL;
    for (unsigned asked = 0; asked < OTHERS_ASKED && bundle == NULL; asked++) {
        hp_owner *next = hp_owners_next(owner);
        owner = next == NULL ? hp_owners_first() : next;
        bundle = hp_pack_pop(&owner->spare_packs);
    }
    return bundle;
}

/* Into a hand without packs. One that was never used reads as a bundle without names. */
static bool get_packs(hp_owner *owner, hp_depot_hand *hand)
{
    hp_pack *bundle = hp_pack_pop(&owner->spare_packs);
    bundle = bundle != NULL ? bundle : hp_pack_begin();
    bundle = HP_LIKELY(bundle != NULL) ? bundle : pop_anothers_bundle(owner);
    if (HP_UNLIKELY(bundle == NULL)) {
        return false;
    }
    memcpy(hand->packs, bundle->chunks, sizeof bundle->chunks);
    while (hand->pack_count < HP_BUNDLE_NAMES && hand->packs[hand->pack_count] != 0) {
        hand->pack_count++;
    }
    hp_depot_keep(hand, bundle);
    return true;
}

/* Of a hand with fewer packs than a bundle has places for, all; the last names in it are 0 then. */
static void give_bundle_back(hp_owner *owner, hp_depot_hand *hand)
{
    hp_pack *bundle = hp_depot_hand_out(hand);
    uint32_t count = hand->pack_count < HP_BUNDLE_NAMES ? hand->pack_count : HP_BUNDLE_NAMES;
    uint16_t names[HP_BUNDLE_NAMES] = {0};
    hand->pack_count -= count;
    memcpy(names, &hand->packs[hand->pack_count], count * sizeof names[0]);
    memcpy(bundle->chunks, names, sizeof names);
    hp_pack_push(&owner->spare_packs, bundle);
}

HP_SLOW bool hp_depot_fill_hand(hp_owner *owner, hp_depot_hand *hand, uint32_t bytes)
{
    return (hand->room_bytes >= bytes || get_room(owner, hand, bytes)) &&
           (hand->pack_count > 0 || get_packs(owner, hand));
}

HP_SLOW void hp_depot_ease_hand(hp_owner *owner, hp_depot_hand *hand)
{
    hand->most_bytes = hand_bound_bytes(owner);
    if (hand->room_bytes > hand->most_bytes) {
        hp_room_give_back(&owner->depot_bytes, hand->room_bytes - hand->most_bytes / 2);
        hand->room_bytes = hand->most_bytes / 2;
    }
    if (hand->pack_count == HP_HAND_PACKS) {
        give_bundle_back(owner, hand);
    }
}

void hp_depot_empty_hand(hp_owner *owner, hp_depot_hand *hand)
{
    hp_room_give_back(&owner->depot_bytes, hand->room_bytes);
    hand->room_bytes = 0;
    while (hand->pack_count > 0) {
        give_bundle_back(owner, hand);
    }
}

void hp_depot_return_pack(hp_owner *owner, const hp_pack *pack, uint32_t room_bytes)
{
    hp_depot_hand hand = {.room_bytes = room_bytes};
    hp_depot_keep(&hand, pack);
    hp_depot_empty_hand(owner, &hand);
}

hp_slab *hp_depot_slab_of(void *chunk, uint32_t *index)
{
    hp_slab *slab = hp_hot_slab(hp_grain_of(chunk));
    if (HP_UNLIKELY(slab == NULL)) {
        hp_entry entry = hp_map_get(chunk);
        slab = hp_entry_kind(entry) == HP_KIND_SLAB ? hp_entry_record(entry) : NULL;
    }
    if (HP_UNLIKELY(slab == NULL)) {
        /* It lay in a slab when it came, and that was closed since: it has been there twice. */
        hp_misuse("free()", "double free of", chunk);
        return NULL;
    }
    *index = hp_slab_index(slab, chunk);
    if (HP_UNLIKELY(*index == HP_NOT_A_SLOT)) {
        hp_misuse("free()", "invalid pointer", chunk);
        return NULL;
    }
    return slab;
}

void hp_depot_free_chunk(hp_owner *owner, void *chunk)
{
    uint32_t index;
    hp_slab *slab = hp_depot_slab_of(chunk, &index);
    if (HP_UNLIKELY(slab == NULL)) {
        return;
    }
    if (HP_UNLIKELY(slab->owner != owner)) {
        hp_inbox_post_block(slab, index);
    } else if (HP_UNLIKELY(!hp_owner_put_block(owner, slab, index))) {
        hp_misuse("free()", "double free of", chunk);
    }
}

void hp_depot_free_chunks(hp_owner *owner, void *const *chunks, unsigned count)
{
    uint64_t tag = hp_owner_tag(owner->id);
    HP_ASSUME(chunks != NULL);
    while (count > 0) {
        uint64_t grain = hp_grain_of(chunks[0]);
        size_t place = (uint16_t)grain;
        unsigned done = 1;
        if (HP_LIKELY(hp_relaxed_xor(&hp_hot.tag[place], grain) == tag)) {
            done = hp_owner_put_run(owner, hp_hot_record(&hp_hot, place), chunks, count);
        } else {
            hp_depot_free_chunk(owner, chunks[0]);
        }
        chunks += done;
        count -= done;
    }
}

static void free_chunks_of(hp_owner *owner, unsigned size_class, hp_pack *pack)
{
    if (size_class < HP_CLASSES) {
        hp_depot_free_chunks(owner, pack->chunks, hp_pack_chunks(size_class));
    } else {
        hp_single_free_run(hp_single_of(pack));
    }
}

unsigned hp_depot_free_packs(hp_owner *owner, unsigned size_class, hp_pack *pack)
{
    hp_depot_hand hand = {0};
    unsigned count = 0;
    while (pack != NULL) {
        hp_pack *below = hp_pack_below(pack);
        free_chunks_of(owner, size_class, pack);
        hp_depot_keep(&hand, pack);
        if (hand.pack_count == HP_BUNDLE_PACKS) {
            give_bundle_back(owner, &hand);
        }
        pack = below;
        count++;
    }
    uint32_t bytes = count * hp_pack_bytes(size_class);
    if (size_class < HP_CACHED_CLASSES) {
        hand.room_bytes = bytes;
    } else {
        hp_singles_give_back(owner, bytes);
    }
    hp_depot_empty_hand(owner, &hand);
    return count;
}

void hp_depot_empty_classes(hp_owner *owner, unsigned first, unsigned end)
{
    for (unsigned size_class = first; size_class < end; size_class++) {
        if (hp_depot_has(owner, size_class)) {
            hp_depot_free_packs(owner, size_class, hp_pack_take_all(&owner->depot[size_class]));
        }
    }
}

void hp_depot_empty(hp_owner *owner)
{
    hp_depot_empty_classes(owner, 0, HP_DEPOT_CLASSES);
}

uint32_t hp_depot_count(const hp_owner *owner, unsigned size_class)
{
    return hp_pack_count(&owner->depot[size_class]);
}

uint64_t hp_depot_packed_bytes(const hp_owner *owner, unsigned first_class, unsigned end_class)
{
    uint64_t bytes = 0;
    for (unsigned size_class = first_class; size_class < end_class; size_class++) {
        bytes += (uint64_t)hp_depot_count(owner, size_class) * hp_pack_bytes(size_class);
    }
    return bytes;
}

void hp_depot_recount(hp_owner *owner, uint32_t room_bytes)
{
    /* relaxed: there is one thread */
    atomic_store_explicit(&owner->depot_bytes,
                          hp_depot_packed_bytes(owner, 0, HP_CACHED_CLASSES) + room_bytes,
                          memory_order_relaxed);
}

const char *hp_depot_check(const hp_owner *owner)
{
    /* relaxed: nobody changes it */
    uint64_t counted = atomic_load_explicit(&owner->depot_bytes, memory_order_relaxed);
    return hp_depot_packed_bytes(owner, 0, HP_CACHED_CLASSES) <= counted
               ? NULL
               : "D1: the depot holds more bytes than were counted";
}
