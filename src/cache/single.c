#include "cache/single.h"

#include "arena/large.h"
#include "owner/inbox.h"
#include "owner/owners.h"
#include "platform/misuse.h"

static void *take_larger(hp_thread *self, unsigned size_class)
{
    void *chunk = NULL;
    for (unsigned larger = 1; chunk == NULL && larger <= HP_SINGLE_LARGER_CLASSES; larger++) {
        if (size_class + larger < HP_DEPOT_CLASSES) {
            chunk = hp_thread_take_single(self, size_class + larger);
        }
    }
    return chunk;
}

static void *take_anothers(hp_owner *owner, unsigned size_class)
{
    hp_pack *pack = hp_depot_pop(owner, size_class);
    if (pack == NULL) {
        return NULL;
    }
    const hp_single *single = hp_single_of(pack);
    void *chunk = single->chunk;
    hp_single_note_out(single);
    hp_singles_give_back(owner, single->bytes);
    hp_depot_return_pack(owner, pack, 0);
    return chunk;
}

void *hp_thread_take_other_single(hp_thread *self, unsigned size_class)
{
    void *chunk = take_larger(self, size_class);
    hp_owner *owner = self->owner;
    for (unsigned look = 0; chunk == NULL && look < HP_SINGLE_OTHER_OWNERS; look++) {
        hp_owner *next = hp_owners_next(owner);
        owner = next == NULL ? hp_owners_first() : next;
        if (owner == self->owner) {
            break;
        }
        chunk = take_anothers(owner, size_class);
    }
    return chunk;
}

void *hp_thread_ease_single(hp_thread *self, void *chunk)
{
    hp_singles_ease_room(self->owner, &self->singles);
    if (hp_depot_hand_is_full(&self->hand)) {
        hp_depot_ease_hand(self->owner, &self->hand);
    }
    return chunk;
}

/* A pack and room are at hand; false: there are none. */
static HP_SLOW bool get_ready(hp_thread *self, uint32_t bytes)
{
    return (self->singles.bytes >= bytes ||
            hp_singles_get_room(self->owner, &self->singles, bytes)) &&
           hp_depot_fill_hand(self->owner, &self->hand, 0);
}

/* Into the depot; false: it is full. The chunk is known as freed. */
HP_INLINE bool keep_single(hp_thread *self, unsigned size_class, hp_entry entry, void *chunk,
                           unsigned index)
{
    uint32_t bytes = (uint32_t)hp_medium_class_bytes(size_class);
    bool ready = self->singles.bytes >= bytes && hp_depot_hand_is_ready(&self->hand, 0);
    if (HP_UNLIKELY(!ready && !get_ready(self, bytes))) {
        return false;
    }
    self->singles.bytes -= bytes;
    hp_pack *pack = hp_depot_hand_out(&self->hand);
    *hp_single_of(pack) = (hp_single){chunk, entry, bytes, index};
    HP_SIGNAL_BARRIER();
    hp_depot_push(self->owner, size_class, pack);
    return true;
}

void hp_thread_free_single(hp_thread *self, unsigned size_class, hp_slab *slab, unsigned index)
{
    void *chunk = slab->base + (size_t)index * slab->slot_bytes;
    if (HP_UNLIKELY(!hp_slab_note_back(slab, index))) {
        hp_misuse("free()", "double free of", chunk);
        return;
    }
    hp_entry entry = hp_entry_of(HP_KIND_SLAB, slab);
    if (HP_UNLIKELY(self == NULL || !keep_single(self, size_class, entry, chunk, index))) {
        hp_inbox_free_now(slab, index);
    }
}

bool hp_thread_free_run(hp_thread *self, unsigned size_class, hp_entry entry, void *pointer)
{
    if (HP_UNLIKELY(!hp_large_retire(entry, pointer))) {
        return false;
    }
    if (HP_UNLIKELY(!keep_single(self, size_class, entry, pointer, 0))) {
        hp_large_free_run(entry);
    }
    return true;
}

void *hp_thread_allocate_large(hp_thread *self, size_t bytes, size_t align_bytes, bool *zeroed)
{
    if (self != NULL && hp_singles_have_runs(self->owner)) {
        void *run = hp_large_allocate_touched(bytes, align_bytes);
        if (run != NULL) {
            *zeroed = false;
            return run;
        }
        hp_singles_free_runs(self->owner);
    }
    return hp_large_allocate(bytes, align_bytes, zeroed);
}
