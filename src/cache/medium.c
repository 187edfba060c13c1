/*
 * Lines of medium classes: few chunks, of which about half move at a time. What leaves a line are the chunks that have
 * been in it for longest.
 */
#include "cache/refill.h"
#include "owner/inbox.h"
#include "owner/mixed.h"

/* The first one comes out, the others go into the empty line, so that they come in their order. */
static void *refill_line(hp_line *line, void *const *chunks, unsigned count)
{
    while (--count > 0) {
        hp_line_push(line, chunks[count]);
    }
    return chunks[0];
}

static HP_SLOW void *refill_from_slabs(hp_thread *self, unsigned size_class)
{
    hp_owner *owner = hp_thread_claim(self, size_class);
    if (HP_UNLIKELY(owner == NULL)) {
        return NULL;
    }
    hp_inbox_drain_for(owner, size_class);
    void *chunks[HP_LINE_CHUNKS];
    unsigned wanted = hp_next_refill(self, size_class);
    unsigned step = hp_pack_chunks(size_class);
    /* The lowest address is handed out first. */
    wanted = wanted < step ? wanted : step;
    unsigned taken = 0;
    if (HP_UNLIKELY(hp_owner_is_about_to_grow(owner, size_class))) {
        taken = hp_mixed_take(owner, size_class, wanted, chunks);
    }
    if (taken == 0) {
        taken = hp_owner_take(owner, size_class, wanted, chunks);
    }
    hp_claim_release(&owner->claim);
    return HP_UNLIKELY(taken == 0) ? NULL : refill_line(&self->lines[size_class], chunks, taken);
}

void *hp_thread_refill_medium(hp_thread *self, unsigned size_class)
{
    hp_thread_look_around(self);
    hp_pack *pack = hp_depot_pop(self->owner, size_class);
    if (HP_UNLIKELY(pack == NULL)) {
        return refill_from_slabs(self, size_class);
    }
    hp_line *line = &self->lines[size_class];
    void *chunk = refill_line(line, pack->chunks, hp_pack_chunks(size_class));
    return hp_thread_keep_pack(self, size_class, pack, chunk);
}

/*
 * The oldest chunks, those furthest from the top, come out of the full line: newest first. They lie in its lowest
 * places but that of the top, which is the newest of all.
 */
static void take_oldest(hp_line *line, unsigned size_class, void **chunks)
{
    unsigned count = hp_pack_chunks(size_class);
    unsigned oldest = HP_LINE_CHUNKS + 1 - hp_medium_line_chunks(size_class);
    for (unsigned index = 0; index < count; index++) {
        unsigned place = oldest + count - 1 - index;
        chunks[index] = line->chunks[place < HP_LINE_CHUNKS ? place : 0];
    }
    HP_SIGNAL_BARRIER();
    line->filled = HP_LINE_FULL - (int64_t)count;
    HP_SIGNAL_BARRIER();
    for (unsigned place = oldest; place + count < HP_LINE_CHUNKS; place++) {
        line->chunks[place] = line->chunks[place + count];
    }
}

static HP_SLOW void return_to_slabs(hp_thread *self, void *const *chunks, unsigned count)
{
    hp_owner *claimed = hp_claim_try(&self->owner->claim) ? self->owner : NULL;
    hp_thread_return(self, claimed, chunks, count);
    if (HP_LIKELY(claimed != NULL)) {
        hp_claim_release(&claimed->claim);
    }
}

bool hp_thread_pack_medium(hp_thread *self, unsigned size_class, void *chunk)
{
    uint32_t bytes = hp_pack_bytes(size_class);
    if (HP_UNLIKELY(!hp_depot_takes_medium(self->owner) ||
                    (!hp_depot_hand_is_ready(&self->hand, bytes) &&
                     !hp_depot_fill_hand(self->owner, &self->hand, bytes)))) {
        return false;
    }
    hp_line *line = &self->lines[size_class];
    hp_pack *pack = hp_thread_hand_out(self, size_class);
    take_oldest(line, size_class, pack->chunks);
    HP_SIGNAL_BARRIER();
    hp_depot_push(self->owner, size_class, pack);
    hp_line_push(line, chunk);
    return true;
}

void hp_thread_spill_medium(hp_thread *self, unsigned size_class, void *chunk)
{
    if (HP_LIKELY(hp_thread_pack_medium(self, size_class, chunk))) {
        return;
    }
    hp_line *line = &self->lines[size_class];
    void *chunks[HP_LINE_CHUNKS];
    take_oldest(line, size_class, chunks);
    HP_SIGNAL_BARRIER();
    return_to_slabs(self, chunks, hp_pack_chunks(size_class));
    hp_line_push(line, chunk);
}
