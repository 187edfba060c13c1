/*
 * realloc
 *   NULL: malloc; 0 bytes: free
 *   a slot: in place while the size stays in its class or wastes less than half of the slot
 *   hp_large_resize             a run grows into its right neighbour or gives back its tail; mremap
 *   move                        allocate, copy, free
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "arena/large.h"
#include "front/slow.h"
#include "hepta/hepta.h"
#include "metadata/address_map.h"
#include "platform/export.h"

/* A slot is kept while more than half of it stays in use: copying is not worth less memory than that. */
static bool fits_in_place(size_t bytes, size_t usable_bytes)
{
    return bytes <= usable_bytes &&
           (bytes > usable_bytes / 2 || usable_bytes <= HP_SMALL_STEP_BYTES);
}

static HP_SLOW void *move(void *pointer, size_t usable_bytes, size_t bytes)
{
    void *moved = hepta_malloc(bytes);
    if (moved == NULL) {
        return NULL;
    }
    memcpy(moved, pointer, bytes < usable_bytes ? bytes : usable_bytes);
    hepta_free(pointer);
    return moved;
}

HP_EXPORT void *hepta_realloc(void *pointer, size_t bytes)
{
    if (pointer == NULL) {
        return hepta_malloc(bytes);
    }
    size_t usable_bytes = hp_usable_bytes(pointer, "realloc()");
    if (usable_bytes == 0) {
        errno = EINVAL;
        return NULL;
    }
    if (bytes == 0) {
        hepta_free(pointer);
        return NULL;
    }
    hp_entry entry = hp_map_get(pointer);
    if (hp_entry_kind(entry) == HP_KIND_SLAB) {
        if (fits_in_place(bytes, usable_bytes)) {
            return pointer;
        }
    } else if (bytes <= PTRDIFF_MAX) {
        void *resized = hp_large_resize(entry, pointer, bytes);
        if (resized != NULL) {
            return resized;
        }
    }
    int saved_errno = errno;
    void *moved = move(pointer, usable_bytes, bytes);
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
