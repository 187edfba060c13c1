#include "owner/depot.h"

#include "metadata/address_map.h"
#include "metadata/storage.h"
#include "owner/inbox.h"
#include "owner/retire.h"
#include "platform/misuse.h"

#define PACKS_PER_BATCH 8u

void hp_depot_make_packs(hp_owner *owner)
{
    if (owner->spare_packs != NULL) {
        return;
    }
    /* A depot that is used again: see RE1. */
    hp_owner_have_watched(owner);
    if (owner->resting_packs != NULL) {
        owner->spare_packs = owner->resting_packs;
        owner->resting_packs = NULL;
        return;
    }
    hp_pack *packs = hp_storage_take(PACKS_PER_BATCH * sizeof *packs);
    for (unsigned index = 0; packs != NULL && index < PACKS_PER_BATCH; index++) {
        hp_depot_recycle(owner, &packs[index]);
    }
}

hp_slab *hp_depot_slab_of(void *chunk, uint32_t *index)
{
    hp_slab *slab = hp_hot_slab(hp_grain_of(chunk));
    if (HP_UNLIKELY(slab == NULL)) {
        hp_entry entry = hp_map_get(chunk);
        slab = hp_entry_kind(entry) == HP_KIND_SLAB ? hp_entry_record(entry) : NULL;
    }
    *index = slab == NULL ? HP_NOT_A_SLOT : hp_slab_index(slab, chunk);
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
        hp_inbox_post(slab, index / 64, (uint64_t)1 << (index & 63));
    } else if (HP_UNLIKELY(!hp_owner_put(owner, slab, index))) {
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

void hp_depot_empty(hp_owner *owner)
{
    for (unsigned size_class = 0; size_class < HP_SMALL_CLASSES; size_class++) {
        hp_pack *pack;
        while ((pack = hp_depot_pop(owner, size_class)) != NULL) {
            hp_depot_free_chunks(owner, pack->chunks, HP_LINE_CHUNKS);
            hp_depot_recycle(owner, pack);
        }
    }
}

uint32_t hp_depot_count(const hp_owner *owner, unsigned size_class)
{
    uint32_t packs = 0;
    for (const hp_pack *pack = hp_depot_first(owner, size_class); pack != NULL; pack = pack->next) {
        packs++;
    }
    return packs;
}

const char *hp_depot_check(const hp_owner *owner)
{
    uint64_t bytes = 0;
    for (unsigned size_class = 0; size_class < HP_SMALL_CLASSES; size_class++) {
        bytes += (uint64_t)hp_depot_count(owner, size_class) * hp_pack_bytes(size_class);
    }
    return bytes == owner->depot_bytes && bytes <= HP_DEPOTS_BYTES
               ? NULL
               : "D1: the depot holds other bytes than were counted, or too many";
}
