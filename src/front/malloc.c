/*
 * The four functions that programs live in, each with its tree of calls; the fast exit comes first.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "front/block.h"
#include "front/hot_path.h"
#include "front/slow.h"
#include "hepta/hepta.h"
#include "platform/export.h"
#include "service/purger.h"

/*
 * malloc
 *   line of the class has a chunk: return it                           16 instructions, a leaf
 *   hp_slow_refill              the line is empty
 *     refill_elsewhere          on another processor than the owner's: one may follow the other
 *     pack of the owner's depot                                        seven chunks move as one
 *     hp_thread_refill
 *       refill_from_slabs       lowest free bits; drains the inbox first
 *         refill_from_others    before a fifth slab is opened
 *   hp_slow_malloc              first call of a thread, size 0, sizes above 1 KiB
 *     hp_thread_take_single     8 to 256 KiB: one that waits in the owner's depot
 *     allocate_or_fail
 *       hp_thread_take_slot     a slot up to 32 KiB, straight from the owner
 *       hp_large_allocate       a run of pages; a mapping of its own above 4 MiB
 *       hp_reclaim, once more   the system refused
 */
HP_EXPORT void *hepta_malloc(size_t bytes)
{
    size_t last = bytes - 1;
    if (HP_UNLIKELY(last >= HP_SMALL_MAX_BYTES)) {
        return hp_slow_malloc(bytes);
    }
    hp_line *line = hp_hot_line(last);
    int64_t filled = line->filled;
    if (HP_UNLIKELY(filled == HP_LINE_EMPTY)) {
        return hp_slow_refill(line);
    }
    return hp_line_take(line, filled);
}

/*
 * free
 *   NULL: return
 *   the hot map says mine, the line has room: push                     20 instructions, a leaf
 *   another owner's, the line has room: push (below 64 bytes for crowds alone)     a leaf too
 *   another owner's, its word has a place in the outbox: set a bit                   a leaf too
 *   hp_slow_spill               mine, but the line is full
 *     pack to the owner's depot, or its slabs when the depot is full
 *   hp_slow_free_other          another owner's
 *     the full line becomes a pack if the thread has use for more of the class
 *     hp_outbox_add             the word that has the place is posted: one atomic OR
 *   hp_slow_free                neither is known
 *     hp_thread_free_single     a slot above 8 KiB: into the depot
 *     hp_thread_free_run        a run to 256 KiB: the same
 *     hp_large_free             a longer run or a mapping
 *     hp_misuse                 nothing of ours starts there
 */
HP_EXPORT void hepta_free(void *pointer)
{
    if (HP_UNLIKELY(pointer == NULL)) {
        return;
    }
    hp_hot_entry entry = hp_hot_look_up(pointer);
    if (HP_LIKELY(hp_hot_is_mine(&entry))) {
        hp_line *line = hp_hot_own_line(&entry);
        if (HP_UNLIKELY(!hp_line_push(line, pointer))) {
            hp_slow_spill(pointer, line);
        }
        return;
    }
    hp_slab *slab;
    switch (hp_hot_free_other(&entry, pointer, &slab)) {
    case HP_FREE_DONE:
        return;
    case HP_FREE_OUTBOX_FULL:
        hp_outbox_make_room(entry.self);
        return;
    case HP_FREE_OTHER_WORD:
        hp_slow_free_other(pointer, slab);
        return;
    case HP_FREE_UNKNOWN:
        hp_slow_free(pointer);
        return;
    }
}

/* glibc asks for the table of a new thread's local data in entries of this size. Of other sizes nobody need ask. */
#define LIBC_THREAD_ENTRY_BYTES 16u

/*
 * calloc
 *   line of the class has a chunk: clear it
 *   hp_slow_malloc_zeroed       tells when the kernel's zeros are still there: nothing to clear
 *   hp_purger_start_early       once, when the second thread is being made
 */
HP_EXPORT void *hepta_calloc(size_t count, size_t bytes)
{
    size_t total;
    if (HP_UNLIKELY(__builtin_mul_overflow(count, bytes, &total))) {
        errno = ENOMEM;
        return NULL;
    }
    void *chunk = hp_hot_malloc(total);
    bool zeroed = false;
    if (HP_UNLIKELY(chunk == NULL)) {
        chunk = hp_slow_malloc_zeroed(total, &zeroed);
        if (chunk == NULL) {
            return NULL;
        }
    }
    if (HP_UNLIKELY(bytes == LIBC_THREAD_ENTRY_BYTES) && hp_purger_may_be_missing()) {
        hp_purger_start_early();
    }
    return zeroed ? chunk : memset(chunk, 0, total);
}

HP_EXPORT size_t hepta_malloc_usable_size(void *pointer)
{
    return pointer == NULL ? 0 : hp_usable_bytes(pointer, "malloc_usable_size()");
}

HP_EXPORT void hepta_free_sized(void *pointer, size_t bytes)
{
    (void)bytes;
    hepta_free(pointer);
}

HP_EXPORT void hepta_free_aligned_sized(void *pointer, size_t alignment, size_t bytes)
{
    (void)alignment;
    (void)bytes;
    hepta_free(pointer);
}

HP_STANDARD_NAME(void *, malloc, (size_t bytes), hepta_malloc);
HP_STANDARD_NAME(void, free, (void *pointer), hepta_free);
HP_STANDARD_NAME(void *, calloc, (size_t count, size_t bytes), hepta_calloc);
HP_STANDARD_NAME(size_t, malloc_usable_size, (void *pointer), hepta_malloc_usable_size);
HP_STANDARD_NAME(void, free_sized, (void *pointer, size_t bytes), hepta_free_sized);
HP_STANDARD_NAME(void, free_aligned_sized, (void *pointer, size_t alignment, size_t bytes),
                 hepta_free_aligned_sized);
HP_STANDARD_NAME(void, cfree, (void *pointer), hepta_free);
HP_STANDARD_NAME(void *, __libc_malloc, (size_t bytes), hepta_malloc);
HP_STANDARD_NAME(void, __libc_free, (void *pointer), hepta_free);
HP_STANDARD_NAME(void *, __libc_calloc, (size_t count, size_t bytes), hepta_calloc);
HP_STANDARD_NAME(void, __libc_cfree, (void *pointer), hepta_free);
