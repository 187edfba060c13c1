#include "front/slow.h"

#include <errno.h>
#include <stdint.h>

#include "arena/arena.h"
#include "arena/huge.h"
#include "arena/large.h"
#include "arena/purge.h"
#include "cache/outbox.h"
#include "cache/refill.h"
#include "cache/single.h"
#include "front/block.h"
#include "front/reclaim.h"
#include "metadata/address_map.h"
#include "owner/inbox.h"
#include "owner/owners.h"
#include "platform/limit.h"
#include "platform/misuse.h"
#include "platform/processor.h"
#include "platform/system.h"
#include "service/options.h"
#include "service/purger.h"

#define DEFAULT_ALIGN_BYTES 16u

/* At the end of what is slow anyway, outside of every claim. */
HP_INLINE void tick(size_t operations)
{
    if (HP_UNLIKELY(hp_tick_is_due(operations))) {
        hp_purger_tick(true);
    }
}

/* So many bytes of a block count as one more operation: few programs make many about large ones. */
#define TICK_BYTES_LOG2 18u

/* The same for free, which never starts a thread. */
HP_INLINE void tick_of_free(void)
{
    if (HP_UNLIKELY(hp_tick_is_due(1))) {
        hp_purger_tick(false);
    }
}

/* A chunk from the line of a cached class; NULL when it is empty. */
HP_INLINE void *take_from_line(hp_thread *self, unsigned size_class)
{
    hp_line *line = &self->lines[size_class];
    if (HP_UNLIKELY(line->filled == hp_line_empty(size_class))) {
        return NULL;
    }
    void *chunk = hp_line_take(line, line->filled);
    HP_ASSUME(chunk != NULL);
    return chunk;
}

/*
 * A block of a mixed slab lies at a multiple of no more than malloc promises: into its slab, so that the next request
 * does not meet it again.
 */
static HP_SLOW void give_back(void *chunk)
{
    uint32_t index;
    hp_slab *slab = hp_depot_slab_of(chunk, &index);
    /* NULL: the program has freed what is no chunk. */
    if (HP_LIKELY(slab != NULL)) {
        if (hp_is_above_lines(hp_slab_block_bytes(slab, index))) {
            hp_slab_note_back(slab, index);
        }
        hp_inbox_free_now(slab, index);
    }
}

/* NULL when it is not aligned: it went back. */
HP_INLINE void *aligned_or_back(void *chunk, size_t align_bytes)
{
    if (HP_LIKELY(hp_is_aligned(chunk, align_bytes))) {
        return chunk;
    }
    give_back(chunk);
    return NULL;
}

/* The chunk is not aligned: the next of the line that is. */
static HP_SLOW void *take_another(hp_thread *self, unsigned size_class, size_t align_bytes,
                                  void *chunk)
{
    do {
        give_back(chunk);
        chunk = take_from_line(self, size_class);
    } while (chunk != NULL && !hp_is_aligned(chunk, align_bytes));
    return chunk;
}

HP_INLINE void *take_aligned_from_line(hp_thread *self, unsigned size_class, size_t align_bytes)
{
    void *chunk = take_from_line(self, size_class);
    return HP_LIKELY(hp_is_aligned(chunk, align_bytes))
               ? chunk
               : take_another(self, size_class, align_bytes, chunk);
}

HP_INLINE void *take_or_refill(hp_thread *self, unsigned size_class, size_t align_bytes)
{
    void *chunk = take_aligned_from_line(self, size_class, align_bytes);
    if (chunk != NULL) {
        return chunk;
    }
    chunk = size_class < HP_SMALL_CLASSES ? hp_thread_refill(self, size_class)
                                          : hp_thread_refill_medium(self, size_class);
    return aligned_or_back(chunk, align_bytes);
}

static void *allocate(size_t bytes, size_t align_bytes, bool *zeroed)
{
    /* A slot whose size is a multiple of the alignment lies at a multiple of it: see Z2. */
    size_t slot_bytes =
        align_bytes <= DEFAULT_ALIGN_BYTES ? bytes : hp_round_up(bytes, align_bytes);
    hp_thread *self = hp_thread_enter();
    if (HP_UNLIKELY(self == NULL)) {
        /* The first calls of a process: earlier than any constructor, and then the options count too. */
        hp_options_load();
    }
    if (slot_bytes > HP_SLAB_MAX_SLOT_BYTES) {
        return hp_thread_allocate_large(self, bytes, align_bytes, zeroed);
    }
    unsigned size_class = hp_class_of(slot_bytes);
    if (size_class < HP_CACHED_CLASSES && self != NULL) {
        void *chunk = take_or_refill(self, size_class, align_bytes);
        if (HP_LIKELY(chunk != NULL)) {
            return chunk;
        }
    }
    return hp_thread_take_slot(self, size_class, align_bytes, zeroed);
}

/* The system refuses: a slot of any owner that is large enough, and aligned as every slot is. */
static HP_COLD void *scrape(size_t bytes, size_t align_bytes, bool *zeroed)
{
    return bytes <= HP_SLAB_MAX_SLOT_BYTES && align_bytes <= DEFAULT_ALIGN_BYTES
               ? hp_owners_scrape(hp_class_of(bytes), zeroed)
               : NULL;
}

/* The system refuses: what can be returned is returned, then once more. */
static HP_COLD void *reclaim_and_allocate(size_t bytes, size_t align_bytes, bool *zeroed)
{
    hp_reclaim();
    void *chunk = allocate(bytes, align_bytes, zeroed);
    return chunk != NULL ? chunk : scrape(bytes, align_bytes, zeroed);
}

static HP_SLOW void *allocate_or_fail(size_t bytes, size_t align_bytes, bool *zeroed)
{
    *zeroed = false;
    bytes = bytes == 0 ? 1 : bytes;
    if (HP_LIKELY(bytes <= PTRDIFF_MAX && align_bytes <= PTRDIFF_MAX - bytes)) {
        void *chunk = allocate(bytes, align_bytes, zeroed);
        if (HP_LIKELY(chunk != NULL)) {
            tick(1 + (bytes >> TICK_BYTES_LOG2));
            return chunk;
        }
        chunk =
            hp_limit_may_ever_fit(bytes) ? reclaim_and_allocate(bytes, align_bytes, zeroed) : NULL;
        if (chunk != NULL) {
            return chunk;
        }
    }
    errno = ENOMEM;
    return NULL;
}

static HP_SLOW void *allocate_default(size_t bytes)
{
    bool zeroed;
    return allocate_or_fail(bytes, DEFAULT_ALIGN_BYTES, &zeroed);
}

/* What was freed a moment ago and serves, but is not the first that comes to mind. NULL: none. */
static HP_SLOW void *reuse_another(hp_thread *self, size_t bytes)
{
    void *chunk = hp_thread_take_other_single(self, hp_medium_class_of(bytes));
    return chunk == NULL && bytes > HP_SLAB_MAX_SLOT_BYTES ? hp_large_reuse(bytes) : chunk;
}

/* The same of a run that has no class. */
HP_INLINE void *reuse_run(size_t bytes)
{
    return bytes <= HP_RUN_MAX_BYTES ? hp_large_reuse(bytes) : NULL;
}

/* A chunk of 8 to 256 KiB that was freed a moment ago. NULL: none. */
HP_INLINE void *reuse_single(hp_thread *self, size_t bytes)
{
    void *chunk = hp_thread_take_single(self, hp_medium_class_of(bytes));
    return HP_LIKELY(chunk != NULL) ? chunk : reuse_another(self, bytes);
}

/* A slot of a class that has no chunk at hand. */
static HP_SLOW void *take_slot(hp_thread *self, unsigned size_class)
{
    bool zeroed;
    void *chunk = size_class < HP_CACHED_CLASSES
                      ? hp_thread_refill_medium(self, size_class)
                      : hp_thread_take_slot(self, size_class, DEFAULT_ALIGN_BYTES, &zeroed);
    tick(1);
    return HP_LIKELY(chunk != NULL) ? chunk : allocate_default(hp_class_bytes(size_class));
}

static HP_SLOW void *malloc_single_anew(hp_thread *self, size_t bytes)
{
    return bytes <= HP_SLAB_MAX_SLOT_BYTES ? take_slot(self, hp_medium_class_of(bytes))
                                           : allocate_default(bytes);
}

/* From 8 to 256 KiB, for a thread with a record. */
static HP_SLOW void *malloc_single(hp_thread *self, size_t bytes)
{
    void *chunk = reuse_single(self, bytes);
    return HP_LIKELY(chunk != NULL) ? chunk : malloc_single_anew(self, bytes);
}

/* Above that, for a thread with a record: the options are read by now. */
static HP_SLOW void *malloc_without_class(size_t bytes)
{
    void *run = reuse_run(bytes);
    return HP_LIKELY(run != NULL) ? run : allocate_default(bytes);
}

void *hp_slow_malloc(size_t bytes)
{
    hp_thread *self = hp_self;
    if (HP_UNLIKELY(self->owner == NULL || bytes <= HP_SMALL_MAX_BYTES)) {
        return allocate_default(bytes);
    }
    if (bytes > HP_CACHED_MAX_BYTES) {
        return bytes <= HP_RUN_CLASS_MAX_BYTES ? malloc_single(self, bytes)
                                               : malloc_without_class(bytes);
    }
    unsigned size_class = hp_medium_class_of(bytes);
    void *chunk = take_from_line(self, size_class);
    return HP_LIKELY(chunk != NULL) ? chunk : take_slot(self, size_class);
}

static HP_SLOW void *refill_without_pack(hp_thread *self, hp_line *line, unsigned size_class)
{
    uint64_t reserve = self->reserves[size_class];
    if (HP_LIKELY((reserve & HP_RESERVE_GROUPS_MASK) != 0)) {
        return hp_refill_from_reserve(self, line, size_class, reserve);
    }
    void *chunk = hp_thread_refill_from_slabs(self, size_class);
    tick(1);
    return HP_LIKELY(chunk != NULL) ? chunk : hp_slow_malloc(hp_class_bytes(size_class));
}

/* What was freed is used again before what nobody has touched yet. */
HP_INLINE void *refill(hp_thread *self, hp_line *line, unsigned size_class)
{
    hp_pack *pack = hp_depot_pop(self->owner, size_class);
    if (HP_UNLIKELY(pack == NULL)) {
        return refill_without_pack(self, line, size_class);
    }
    return hp_refill_from_pack(self, line, size_class, pack);
}

/* hp_thread_look_around with the refill as its last call: the usual refill saves no registers for it then. */
static HP_SLOW void *refill_elsewhere(hp_thread *self, hp_line *line, unsigned size_class)
{
    hp_thread_note_away(self, hp_processor());
    return refill(self, line, size_class);
}

void *hp_slow_refill(hp_line *line)
{
    hp_thread *self = hp_self;
    unsigned size_class = (unsigned)(line - self->lines);
    HP_ASSUME(size_class < HP_SMALL_CLASSES);
    if (HP_UNLIKELY(self->owner == NULL)) {
        return hp_slow_malloc(hp_class_bytes(size_class));
    }
    if (HP_UNLIKELY(!hp_owner_is_near(self->owner))) {
        return refill_elsewhere(self, line, size_class);
    }
    return refill(self, line, size_class);
}

void *hp_slow_malloc_zeroed(size_t bytes, bool *zeroed)
{
    hp_thread *self = hp_self;
    if (self->owner != NULL && bytes > HP_CACHED_MAX_BYTES) {
        void *chunk =
            bytes <= HP_RUN_CLASS_MAX_BYTES ? reuse_single(self, bytes) : reuse_run(bytes);
        if (chunk != NULL) {
            *zeroed = false;
            return chunk;
        }
    }
    void *chunk = allocate_or_fail(bytes, DEFAULT_ALIGN_BYTES, zeroed);
    if (chunk != NULL && !*zeroed && bytes > HP_RUN_MAX_BYTES) {
        *zeroed = hp_large_clear(chunk);
    }
    return chunk;
}

/* Above HP_CACHED_MAX_BYTES, out of the depot. NULL: it must be had elsewhere. */
static HP_SLOW void *take_aligned_single(hp_thread *self, size_t slot_bytes, size_t align_bytes)
{
    /* A run of a class lies at a multiple of a page, and not of more. */
    bool fits = slot_bytes <= HP_SLAB_MAX_SLOT_BYTES ||
                (slot_bytes <= HP_RUN_CLASS_MAX_BYTES && align_bytes <= HP_MAP_PAGE_BYTES);
    void *chunk = fits ? hp_thread_take_single(self, hp_medium_class_of(slot_bytes)) : NULL;
    return aligned_or_back(chunk, align_bytes);
}

void *hp_slow_aligned(size_t bytes, size_t align_bytes)
{
    hp_thread *self = hp_self;
    if (HP_LIKELY(self->owner != NULL && bytes - 1 < HP_RUN_CLASS_MAX_BYTES &&
                  align_bytes <= HP_RUN_CLASS_MAX_BYTES)) {
        size_t slot_bytes = hp_round_up(bytes, align_bytes);
        void *chunk = HP_LIKELY(slot_bytes <= HP_CACHED_MAX_BYTES)
                          ? take_aligned_from_line(self, hp_class_of(slot_bytes), align_bytes)
                          : take_aligned_single(self, slot_bytes, align_bytes);
        if (HP_LIKELY(chunk != NULL)) {
            return chunk;
        }
    }
    bool zeroed;
    return allocate_or_fail(bytes, align_bytes, &zeroed);
}

/* A medium class, or the hand is not ready for one more pack. */
static HP_SLOW void spill_slowly(hp_thread *self, unsigned size_class, void *chunk)
{
    if (size_class < HP_SMALL_CLASSES) {
        hp_thread_spill(self, size_class, chunk);
    } else {
        hp_thread_spill_medium(self, size_class, chunk);
    }
    tick_of_free();
}

void hp_slow_spill(void *pointer, hp_line *line)
{
    hp_thread *self = hp_self;
    unsigned size_class = (unsigned)(line - self->lines);
    if (HP_UNLIKELY(size_class >= HP_SMALL_CLASSES ||
                    !hp_depot_hand_is_ready(&self->hand, hp_pack_bytes(size_class)))) {
        spill_slowly(self, size_class, pointer);
        return;
    }
    hp_spill_to_depot(self, line, size_class, pointer);
}

void hp_slow_free_other(void *pointer, hp_slab *slab)
{
    hp_thread *self = hp_self;
    uint32_t index = hp_slab_index(slab, pointer);
    if (HP_UNLIKELY(self->owner == NULL || index == HP_NOT_A_SLOT)) {
        hp_slow_free(pointer);
        return;
    }
    hp_thread_free_other(self, slab, index);
}

HP_INLINE bool free_large(hp_entry entry, void *pointer)
{
    hp_thread *self = hp_self;
    unsigned size_class = hp_entry_class(entry);
    if (HP_UNLIKELY(size_class == 0 || self->owner == NULL)) {
        return hp_large_free(entry, pointer);
    }
    return hp_thread_free_run(self, size_class, entry, pointer);
}

void hp_slow_free(void *pointer)
{
    hp_entry entry = hp_map_get(pointer);
    hp_kind kind = hp_entry_kind(entry);
    if (kind == HP_KIND_SLAB) {
        hp_thread *self = hp_thread_enter();
        hp_slab *slab = hp_entry_record(entry);
        uint32_t index = hp_slab_index(slab, pointer);
        if (HP_LIKELY(index != HP_NOT_A_SLOT && !hp_slab_is_inside(slab, index))) {
            hp_thread_free_slot(self, slab, index);
            tick_of_free();
            return;
        }
    } else if (kind != HP_KIND_NONE && free_large(entry, pointer)) {
        tick_of_free();
        return;
    }
    /* Looked up again: it may have been freed since. */
    hp_report_pointer("free()", hp_map_get(pointer), pointer);
}
