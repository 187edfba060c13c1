#include "cache/thread.h"

#include "cache/outbox.h"
#include "cache/refill.h"
#include "cache/single.h"
#include "owner/depot.h"
#include "owner/inbox.h"
#include "owner/mixed.h"
#include "owner/owners.h"
#include "platform/build.h"
#include "platform/misuse.h"
#include "platform/report.h"

static void check(const hp_thread *self)
{
    const char *broken = hp_debug ? hp_thread_check(self) : NULL;
    if (broken != NULL) {
        hp_broken("thread", broken);
    }
}

/* Eight neighbours, and as many more for the reserve. NULL: no such eight are at hand. */
static void *refill_with_neighbours(hp_thread *self, hp_owner *owner, unsigned size_class)
{
    if (self->refill_chunks[size_class] != HP_LINE_CHUNKS) {
        return NULL;
    }
    unsigned most = HP_RESERVE_BYTES / HP_SLAB_GROUP_SLOTS / HP_SMALL_STEP_BYTES / (size_class + 1);
    unsigned groups = most == 0 ? 1 : most;
    char *first = hp_owner_take_groups(owner, size_class, &groups);
    if (first == NULL) {
        return NULL;
    }
    hp_line *line = &self->lines[size_class];
    return hp_refill_from_reserve(self, line, size_class, (uint64_t)(uintptr_t)first | groups);
}

/* The first one comes out, the others go into the empty line. NULL: there are none. */
static void *refill_with(hp_line *line, void *const *chunks, unsigned count)
{
    if (count == 0) {
        return NULL;
    }
    if (count > 1) {
        line->chunks[0] = chunks[1];
        for (unsigned index = 2; index < count; index++) {
            line->chunks[count - index] = chunks[index];
        }
        HP_SIGNAL_BARRIER();
        line->filled = HP_LINE_EMPTY + (int64_t)count - 1;
    }
    return chunks[0];
}

static void *refill_with_scattered(hp_thread *self, hp_owner *owner, unsigned size_class)
{
    void *chunks[HP_LINE_CHUNKS];
    unsigned count = hp_owner_take(owner, size_class, hp_next_refill(self, size_class), chunks);
    return refill_with(&self->lines[size_class], chunks, count);
}

static void *refill_with_mixed(hp_thread *self, hp_owner *owner, unsigned size_class)
{
    void *chunks[HP_LINE_CHUNKS];
    unsigned count = hp_mixed_take(owner, size_class, hp_next_refill(self, size_class), chunks);
    return refill_with(&self->lines[size_class], chunks, count);
}

/* The next group of a reserve that is not empty, else NULL. */
static void *refill_from_reserve(hp_thread *self, unsigned size_class)
{
    uint64_t reserve = self->reserves[size_class];
    return (reserve & HP_RESERVE_GROUPS_MASK) == 0
               ? NULL
               : hp_refill_from_reserve(self, &self->lines[size_class], size_class, reserve);
}

static void *refill_from_spare_pack(hp_thread *self, const hp_owner *owner, unsigned size_class)
{
    hp_owner *from;
    hp_pack *pack = hp_owners_pop_spare(owner, size_class, &from);
    if (pack == NULL) {
        return NULL;
    }
    void *chunk = hp_fill_from_pack(&self->lines[size_class], pack);
    hp_depot_return_pack(from, pack, hp_pack_bytes(size_class));
    return chunk;
}

/*
 * What was freed into an owner that its threads have left, or by whose side a crowd made others, is used again before
 * the claimed owner opens a slab. Its claim, or the one of who serves in its place, is in *owner.
 */
static void *refill_from_others(hp_thread *self, hp_owner **owner, unsigned size_class)
{
    void *chunk = refill_from_spare_pack(self, *owner, size_class);
    if (chunk != NULL) {
        return chunk;
    }
    hp_owner *sparing = hp_owners_claim_sparing(*owner, size_class);
    if (sparing != NULL) {
        hp_claim_release(&(*owner)->claim);
        *owner = sparing;
    }
    return NULL;
}

/* Out of the slabs of a claimed owner; releases the claim. */
static void *refill_from_slabs(hp_thread *self, hp_owner *owner, unsigned size_class)
{
    check(self);
    hp_inbox_drain_for(owner, size_class);
    void *chunk = NULL;
    if (HP_UNLIKELY(hp_owner_is_about_to_grow(owner, size_class))) {
        chunk = refill_with_mixed(self, owner, size_class);
        chunk = chunk != NULL ? chunk : refill_from_others(self, &owner, size_class);
    }
    if (chunk == NULL) {
        chunk = refill_with_neighbours(self, owner, size_class);
    }
    if (chunk == NULL) {
        chunk = refill_with_scattered(self, owner, size_class);
    }
    hp_claim_release(&owner->claim);
    return chunk;
}

hp_owner *hp_thread_claim(hp_thread *self, unsigned size_class)
{
    hp_owner *owner = self->owner;
    if (HP_LIKELY(hp_claim_try(&owner->claim))) {
        return owner;
    }
    hp_thread_note_busy(self);
    /* Rather an owner that has the class at hand than one that would open a slab for it. */
    owner = hp_owners_claim_serving(size_class);
    return owner != NULL ? owner : hp_owners_claim_any(NULL);
}

void *hp_thread_refill_from_slabs(hp_thread *self, unsigned size_class)
{
    hp_owner *owner = hp_thread_claim(self, size_class);
    return HP_UNLIKELY(owner == NULL) ? NULL : refill_from_slabs(self, owner, size_class);
}

void *hp_thread_refill(hp_thread *self, unsigned size_class)
{
    hp_thread_look_around(self);
    /* What was freed is used again before what nobody has touched yet. */
    hp_pack *pack = hp_depot_pop(self->owner, size_class);
    void *chunk = pack == NULL
                      ? refill_from_reserve(self, size_class)
                      : hp_refill_from_pack(self, &self->lines[size_class], size_class, pack);
    return chunk != NULL ? chunk : hp_thread_refill_from_slabs(self, size_class);
}

void hp_thread_return(hp_thread *self, hp_owner *claimed, void *const *chunks, unsigned count)
{
    if (claimed != NULL) {
        hp_depot_free_chunks(claimed, chunks, count);
        return;
    }
    for (unsigned each = 0; each < count; each++) {
        uint32_t index;
        hp_slab *slab = hp_depot_slab_of(chunks[each], &index);
        if (slab != NULL) {
            hp_outbox_add(self, slab, index);
        }
    }
}

/* The chunks of the line, the top first; how many. */
static unsigned empty_line(hp_line *line, unsigned size_class, void **chunks)
{
    int64_t empty = hp_line_empty(size_class);
    unsigned count = 0;
    for (int64_t filled = line->filled; filled > empty; filled--) {
        /* Below the top is what the count leads to, from there down. */
        chunks[count] =
            count == 0 ? line->chunks[0] : line->chunks[filled + 1 + (int64_t)HP_LINE_CHUNKS];
        count++;
    }
    HP_SIGNAL_BARRIER();
    line->filled = empty;
    HP_SIGNAL_BARRIER();
    return count;
}

/*
 * The line is empty before its chunks are returned: at no moment is a chunk in both, as a signal handler may
 * call exit or fork here.
 */
static void return_line(hp_thread *self, hp_owner *claimed, unsigned size_class)
{
    void *chunks[HP_LINE_CHUNKS];
    unsigned count = empty_line(&self->lines[size_class], size_class, chunks);
    hp_thread_return(self, claimed, chunks, count);
}

/* The same for a full line under the claim: its seven chunks stay where they are for the time. */
static void return_full_line(hp_owner *claimed, hp_line *line)
{
    line->filled = HP_LINE_EMPTY;
    HP_SIGNAL_BARRIER();
    hp_depot_free_chunks(claimed, line->chunks, HP_LINE_CHUNKS);
}

static void return_reserve(hp_thread *self, hp_owner *claimed, unsigned size_class)
{
    uint64_t reserve = self->reserves[size_class];
    self->reserves[size_class] = 0;
    size_t slot_bytes = hp_class_bytes(size_class);
    char *chunk = (char *)(uintptr_t)(reserve & ~HP_RESERVE_GROUPS_MASK);
    uint64_t count = (reserve & HP_RESERVE_GROUPS_MASK) * HP_SLAB_GROUP_SLOTS;
    for (; count > 0; count--, chunk += slot_bytes) {
        hp_thread_return(self, claimed, (void *const *)&chunk, 1);
    }
}

/* The depot has no room. */
static void spill_to_slabs(hp_thread *self, unsigned size_class)
{
    hp_owner *owner = self->owner;
    if (HP_LIKELY(hp_claim_try(&owner->claim))) {
        return_full_line(owner, &self->lines[size_class]);
        hp_claim_release(&owner->claim);
    } else {
        return_line(self, NULL, size_class);
        hp_thread_note_busy(self);
    }
}

/* A full line of a small class becomes a pack; false: the depot has no room. */
static bool pack_line(hp_thread *self, unsigned size_class, void *chunk)
{
    if (!hp_depot_fill_hand(self->owner, &self->hand, hp_pack_bytes(size_class))) {
        return false;
    }
    hp_spill_to_depot(self, &self->lines[size_class], size_class, chunk);
    return true;
}

void hp_thread_spill(hp_thread *self, unsigned size_class, void *chunk)
{
    check(self);
    if (!pack_line(self, size_class, chunk)) {
        spill_to_slabs(self, size_class);
        hp_line_push(&self->lines[size_class], chunk);
    }
}

void *hp_thread_ease(hp_thread *self, void *chunk)
{
    hp_depot_ease_hand(self->owner, &self->hand);
    return chunk;
}

bool hp_thread_pack(hp_thread *self, unsigned size_class, void *chunk)
{
    return size_class < HP_SMALL_CLASSES ? pack_line(self, size_class, chunk)
                                         : hp_thread_pack_medium(self, size_class, chunk);
}

void hp_thread_flush(hp_thread *self)
{
    check(self);
    hp_outbox_flush(self);
    hp_owner *claimed = hp_claim_try(&self->owner->claim) ? self->owner : NULL;
    for (unsigned size_class = 0; size_class < HP_CACHED_CLASSES; size_class++) {
        return_line(self, claimed, size_class);
    }
    for (unsigned size_class = 0; size_class < HP_SMALL_CLASSES; size_class++) {
        return_reserve(self, claimed, size_class);
    }
    if (claimed != NULL) {
        hp_claim_release(&claimed->claim);
    }
    hp_depot_empty_hand(self->owner, &self->hand);
    hp_singles_empty_room(self->owner, &self->singles);
    hp_outbox_flush(self);
}

static const char *check_line(const hp_line *line, unsigned size_class)
{
    if (line->filled < hp_line_empty(size_class) || line->filled > HP_LINE_FULL) {
        return "T1: a line is filled beyond its bounds";
    }
    hp_line copy = *line;
    while (copy.filled > hp_line_empty(size_class)) {
        hp_entry entry = hp_map_get(hp_line_take(&copy, copy.filled));
        const hp_slab *slab = hp_entry_record(entry);
        if (hp_entry_kind(entry) != HP_KIND_SLAB ||
            (slab->size_class != size_class && hp_slab_joined(slab) == NULL)) {
            return "T2: a line holds what is no chunk of its class";
        }
    }
    return NULL;
}

const char *hp_thread_check(const hp_thread *self)
{
    const char *broken = hp_outbox_check(self);
    if (broken != NULL) {
        return broken;
    }
    for (unsigned size_class = 0; size_class < HP_CACHED_CLASSES; size_class++) {
        broken = check_line(&self->lines[size_class], size_class);
        if (broken != NULL) {
            return broken;
        }
    }
    return NULL;
}
