/*
 * realloc
 *   NULL: malloc; 0 bytes: free
 *   a slot: in place while it has room and more than half of it stays in use, else it moves
 *   hp_large_resize             a run grows into its right neighbour or gives back its tail; mremap
 *   move                        allocate, copy, free; a slot that grows a little gets a fourth more
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "arena/large.h"
#include "front/block.h"
#include "front/slow.h"
#include "hepta/hepta.h"
#include "metadata/address_map.h"
#include "platform/export.h"

/* A slot is kept while more than half of it stays in use: copying is not worth less memory than that. */
static bool fits_in_place(size_t bytes, size_t usable_bytes)
{
    return bytes - 1 < usable_bytes &&
           (bytes > usable_bytes / 2 || usable_bytes <= HP_SMALL_STEP_BYTES);
}

HP_INLINE void *move(void *pointer, size_t usable_bytes, size_t bytes)
{
    void *moved = hepta_malloc(bytes);
    if (moved == NULL) {
        return NULL;
    }
    memcpy(moved, pointer, bytes < usable_bytes ? bytes : usable_bytes);
    hepta_free(pointer);
    return moved;
}

/* Grown little by little, as strings and vectors are, a slot grows by a fourth, so that few steps copy. */
static size_t with_headroom(size_t bytes, size_t usable_bytes)
{
    size_t ample_bytes = usable_bytes + usable_bytes / 4;
    return bytes > usable_bytes && bytes < ample_bytes ? ample_bytes : bytes;
}

/* A slot of a slab that the hot map knows, for a thread with a cache: its bytes, else 0. */
HP_INLINE size_t known_slot_bytes(const void *pointer)
{
    const hp_slab *slab = hp_hot_slab(hp_grain_of(pointer));
    bool known = slab != NULL && hp_self->owner != NULL;
    return known && hp_slab_index(slab, pointer) != HP_NOT_A_SLOT ? slab->slot_bytes : 0;
}

static HP_SLOW void *resize(void *pointer, size_t bytes);

/* What the hot map said of the slot need not be looked up again. */
static HP_SLOW void *move_slot(void *pointer, size_t usable_bytes, size_t bytes)
{
    int saved_errno = errno;
    void *moved = move(pointer, usable_bytes, with_headroom(bytes, usable_bytes));
    if (HP_UNLIKELY(moved == NULL)) {
        errno = saved_errno;
        return resize(pointer, bytes);
    }
    return moved;
}

HP_EXPORT void *hepta_realloc(void *pointer, size_t bytes)
{
    size_t usable_bytes = known_slot_bytes(pointer);
    if (HP_LIKELY(fits_in_place(bytes, usable_bytes))) {
        return pointer;
    }
    bool moves = usable_bytes != 0 && bytes != 0;
    return HP_LIKELY(moves) ? move_slot(pointer, usable_bytes, bytes) : resize(pointer, bytes);
}

static HP_SLOW void *resize(void *pointer, size_t bytes)
{
    if (pointer == NULL) {
        return hepta_malloc(bytes);
    }
    hp_entry entry = hp_map_get(pointer);
    size_t usable_bytes = hp_usable_bytes(pointer, "realloc()");
    if (usable_bytes == 0) {
        errno = EINVAL;
        return NULL;
    }
    if (bytes == 0) {
        hepta_free(pointer);
        return NULL;
    }
    size_t wanted_bytes = bytes;
    if (hp_entry_kind(entry) == HP_KIND_SLAB) {
        if (fits_in_place(bytes, usable_bytes)) {
            return pointer;
        }
        wanted_bytes = with_headroom(bytes, usable_bytes);
    } else if (bytes <= PTRDIFF_MAX) {
        void *resized = hp_resize_large(entry, pointer, usable_bytes, bytes);
        if (resized != NULL) {
            return resized;
        }
    }
    int saved_errno = errno;
    void *moved = move(pointer, usable_bytes, wanted_bytes);
    if (moved == NULL && wanted_bytes != bytes) {
        /* The headroom was our wish, not the program's. */
        errno = saved_errno;
        moved = move(pointer, usable_bytes, bytes);
    }
    if (moved == NULL && hp_entry_kind(entry) != HP_KIND_SLAB && bytes <= PTRDIFF_MAX) {
        /* Meanwhile all was returned that can be: where there is no room for two blocks there may be for the one. */
        moved = hp_resize_large(entry, pointer, usable_bytes, bytes);
        errno = moved != NULL ? saved_errno : ENOMEM;
    }
    if (moved == NULL && bytes <= usable_bytes) {
        /* A block that is to shrink is large enough: no memory is no reason to fail. */
        errno = saved_errno;
        return pointer;
    }
    return moved;
}

HP_EXPORT void *hepta_reallocarray(void *pointer, size_t count, size_t bytes)
{
    size_t total;
    if (__builtin_mul_overflow(count, bytes, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return hepta_realloc(pointer, total);
}

HP_STANDARD_NAME(void *, realloc, (void *pointer, size_t bytes), hepta_realloc);
HP_STANDARD_NAME(void *, reallocarray, (void *pointer, size_t count, size_t bytes),
                 hepta_reallocarray);
HP_STANDARD_NAME(void *, __libc_realloc, (void *pointer, size_t bytes), hepta_realloc);
HP_STANDARD_NAME(void *, __libc_reallocarray, (void *pointer, size_t count, size_t bytes),
                 hepta_reallocarray);
