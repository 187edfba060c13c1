/* Slots that go, or come, one by one: which of them a line takes. */
#include "cache/outbox.h"
#include "cache/single.h"
#include "cache/thread.h"
#include "owner/inbox.h"
#include "owner/mixed.h"
#include "owner/owners.h"

/*
 * The thread takes slots of the class, and packs of it are what its owner needs: there is none, or they are all that it
 * can serve by, since whoever has its claim may have lost the processor until all other threads have had their turn.
 */
static bool has_use_for(const hp_thread *self, unsigned size_class)
{
    return self->refill_chunks[size_class] > 1 &&
           (!hp_depot_has(self->owner, size_class) || hp_claim_is_taken(&self->owner->claim));
}

/* The class of whose line the block is: that of its slab, or the largest that fits into several slots of it. */
static unsigned class_of_block(const hp_slab *slab, unsigned index)
{
    if (HP_LIKELY(hp_slab_joined(slab) == NULL)) {
        return slab->size_class;
    }
    size_t bytes = hp_slab_block_bytes(slab, index);
    unsigned size_class = hp_class_of(bytes);
    size_class -= hp_class_bytes(size_class) > bytes;
    return size_class < HP_CLASSES ? size_class : HP_CLASSES - 1;
}

/*
 * Another owner's chunk is used here again if there is use for it. A thread that only frees keeps a line of them: more
 * would go to others of its owner, whose own slots would lie idle meanwhile.
 */
HP_INLINE void free_other(hp_thread *self, unsigned size_class, hp_slab *slab, unsigned index,
                          void *chunk)
{
    bool kept = hp_owner_may_keep(self->owner, hp_line_offset(size_class)) &&
                (hp_line_push(&self->lines[size_class], chunk) ||
                 (has_use_for(self, size_class) && hp_thread_pack(self, size_class, chunk)));
    if (!kept) {
        hp_outbox_add(self, slab, index);
    }
}

void hp_thread_free_other(hp_thread *self, hp_slab *slab, unsigned index)
{
    void *chunk = slab->base + (size_t)index * slab->slot_bytes;
    free_other(self, slab->size_class, slab, index, chunk);
}

static void free_own(hp_thread *self, unsigned size_class, void *chunk)
{
    if (hp_line_push(&self->lines[size_class], chunk)) {
        return;
    }
    if (size_class < HP_SMALL_CLASSES) {
        hp_thread_spill(self, size_class, chunk);
    } else {
        hp_thread_spill_medium(self, size_class, chunk);
    }
}

void hp_thread_free_slot(hp_thread *self, hp_slab *slab, unsigned index)
{
    if (slab->size_class >= HP_CACHED_CLASSES) {
        hp_thread_free_single(self, slab->size_class, slab, index);
        return;
    }
    unsigned size_class = class_of_block(slab, index);
    void *chunk = slab->base + (size_t)index * slab->slot_bytes;
    if (HP_UNLIKELY(size_class >= HP_CACHED_CLASSES)) {
        hp_thread_free_single(self, size_class, slab, index);
    } else if (self == NULL) {
        hp_inbox_free_now(slab, index);
    } else if (slab->owner != self->owner) {
        free_other(self, size_class, slab, index, chunk);
    } else {
        free_own(self, size_class, chunk);
    }
}

/*
 * Slots that threads do not cache come from whichever owner is first to be had, not from the thread's own: so
 * their slabs, of which each is dear, are as many as threads work at the same moment, not as there are owners.
 */
void *hp_thread_take_slot(hp_thread *self, unsigned size_class, size_t align_bytes, bool *zeroed)
{
    bool shared = self == NULL || size_class >= HP_CACHED_CLASSES;
    hp_owner *owner = shared ? NULL : self->owner;
    if (HP_UNLIKELY(owner == NULL || !hp_claim_try(&owner->claim))) {
        owner = hp_owners_claim_any(NULL);
        if (owner == NULL) {
            return NULL;
        }
    }
    hp_inbox_drain_for(owner, size_class);
    if (HP_UNLIKELY(shared && owner->classes[size_class].first == NULL)) {
        /* Before a slab is opened, those that others have open are looked at. */
        hp_owner *serving = hp_owners_claim_serving(size_class);
        if (serving != NULL) {
            hp_claim_release(&owner->claim);
            owner = serving;
        }
    }
    void *chunk = NULL;
    *zeroed = false;
    if (HP_UNLIKELY(align_bytes <= HP_SMALL_STEP_BYTES &&
                    hp_owner_is_about_to_grow(owner, size_class))) {
        hp_mixed_take(owner, size_class, 1, &chunk);
    }
    if (HP_LIKELY(chunk == NULL)) {
        chunk = hp_owner_take_one(owner, size_class, zeroed);
    }
    hp_claim_release(&owner->claim);
    return chunk;
}
