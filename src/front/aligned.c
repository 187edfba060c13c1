/*
 * The aligned family. A slot whose size is a multiple of the alignment lies at a multiple of it, so up to
 * 32 KiB these are the ordinary slots of a rounded size.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "front/hot_path.h"
#include "front/slow.h"
#include "hepta/hepta.h"
#include "platform/export.h"
#include "platform/system.h"

#define DEFAULT_ALIGN_BYTES 16u

/*
 * memalign, aligned_alloc, posix_memalign
 *   line of the rounded size's class has a chunk: return it
 *   hepta_malloc                it has none, and malloc's alignment will do
 *   hp_slow_aligned             it has none, or sizes above 1 KiB
 *   allocate_at_next_power      memalign, aligned_alloc: the alignment is no power of two
 */

HP_INLINE void *allocate_slowly(size_t alignment, size_t bytes)
{
    return alignment <= DEFAULT_ALIGN_BYTES ? hepta_malloc(bytes)
                                            : hp_slow_aligned(bytes, alignment);
}

/* As glibc: EINVAL when no power of two is that large, else rounded up to the next one. */
static HP_SLOW void *allocate_at_next_power(size_t alignment, size_t bytes)
{
    if (alignment > SIZE_MAX / 2 + 1) {
        errno = EINVAL;
        return NULL;
    }
    size_t power = DEFAULT_ALIGN_BYTES;
    while (power < alignment) {
        power <<= 1;
    }
    return allocate_slowly(power, bytes);
}

HP_EXPORT void *hepta_memalign(size_t alignment, size_t bytes)
{
    if (HP_UNLIKELY(!hp_is_power_of_two(alignment))) {
        return allocate_at_next_power(alignment, bytes);
    }
    void *chunk = hp_hot_aligned(bytes, alignment);
    return HP_LIKELY(chunk != NULL) ? chunk : allocate_slowly(alignment, bytes);
}

HP_EXPORT void *hepta_aligned_alloc(size_t alignment, size_t bytes)
{
    return hepta_memalign(alignment, bytes);
}

/* It tells by its result alone: errno stays. */
static HP_SLOW int posix_memalign_slowly(void **result, size_t alignment, size_t bytes)
{
    int saved_errno = errno;
    void *block = allocate_slowly(alignment, bytes);
    errno = saved_errno;
    if (block == NULL) {
        return ENOMEM;
    }
    *result = block;
    return 0;
}

HP_EXPORT int hepta_posix_memalign(void **result, size_t alignment, size_t bytes)
{
    if (HP_UNLIKELY(!hp_is_power_of_two(alignment) || alignment % sizeof(void *) != 0)) {
        return EINVAL;
    }
    void *block = hp_hot_aligned(bytes, alignment);
    if (HP_UNLIKELY(block == NULL)) {
        return posix_memalign_slowly(result, alignment, bytes);
    }
    *result = block;
    return 0;
}

HP_EXPORT void *hepta_valloc(size_t bytes)
{
    return hp_slow_aligned(bytes, hp_page_bytes());
}

HP_EXPORT void *hepta_pvalloc(size_t bytes)
{
    size_t page_bytes = hp_page_bytes();
    if (bytes > SIZE_MAX - page_bytes) {
        errno = ENOMEM;
        return NULL;
    }
    return hp_slow_aligned(bytes == 0 ? page_bytes : hp_round_up(bytes, page_bytes), page_bytes);
}

HP_STANDARD_NAME(void *, memalign, (size_t alignment, size_t bytes), hepta_memalign);
HP_STANDARD_NAME(void *, aligned_alloc, (size_t alignment, size_t bytes), hepta_aligned_alloc);
HP_STANDARD_NAME(int, posix_memalign, (void **result, size_t alignment, size_t bytes),
                 hepta_posix_memalign);
HP_STANDARD_NAME(void *, valloc, (size_t bytes), hepta_valloc);
HP_STANDARD_NAME(void *, pvalloc, (size_t bytes), hepta_pvalloc);
HP_STANDARD_NAME(void *, __libc_memalign, (size_t alignment, size_t bytes), hepta_memalign);
HP_STANDARD_NAME(void *, __libc_valloc, (size_t bytes), hepta_valloc);
HP_STANDARD_NAME(void *, __libc_pvalloc, (size_t bytes), hepta_pvalloc);
HP_STANDARD_NAME(int, __posix_memalign, (void **result, size_t alignment, size_t bytes),
                 hepta_posix_memalign);
