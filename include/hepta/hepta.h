/*
 * hepta: a memory allocator for Linux.
 *
 * Every function here behaves as its namesake without the prefix does in glibc, and is what that name
 * calls in a program that runs on hepta. The prefixed names are there for programs that want both
 * allocators, and for sanitizer builds. A block from one of them is freed by hepta_free, or by free in
 * a program that runs on hepta.
 *
 * Thread-safety: every function may be called by any thread at any time, also before main and during
 * thread exit. No call waits for another thread, but for mallinfo, mallinfo2, malloc_info and malloc_stats: a
 * thread's first call of one of these, and its exit after that, may wait for another thread's, or for a fork. None is
 * async-signal-safe, as malloc never is.
 * Errors: functions that return a block return NULL and set errno to ENOMEM when memory runs out or the
 * size is above PTRDIFF_MAX. Misuse (a pointer that is not a block's start, a double free) is reported
 * in one line on stderr, then the process aborts.
 * Units: sizes and alignments are bytes.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define HEPTA_VERSION_MAJOR 1
#define HEPTA_VERSION_MINOR 0
#define HEPTA_VERSION_PATCH 0

/* A block of at least `bytes` bytes, aligned to 16. hepta_malloc(0) returns a block of its own. */
void *hepta_malloc(size_t bytes);

/* A zeroed block for `count` elements of `bytes` bytes. ENOMEM when the product overflows. */
void *hepta_calloc(size_t count, size_t bytes);

/*
 * The block with a new size, moved or not; what fits of its content is kept. NULL leaves it as it was.
 * hepta_realloc(NULL, n) is hepta_malloc(n); hepta_realloc(pointer, 0) frees and returns NULL.
 */
void *hepta_realloc(void *pointer, size_t bytes);

/* hepta_realloc to `count` elements of `bytes` bytes. ENOMEM when the product overflows. */
void *hepta_reallocarray(void *pointer, size_t count, size_t bytes);

/* Frees the block; NULL is ignored. errno is kept. */
void hepta_free(void *pointer);

/* C23: frees a block whose size (and alignment) the caller still knows. The size is not needed. */
void hepta_free_sized(void *pointer, size_t bytes);
void hepta_free_aligned_sized(void *pointer, size_t alignment, size_t bytes);

/* A block whose address is a multiple of `alignment`, a power of two (else rounded up to one). */
void *hepta_aligned_alloc(size_t alignment, size_t bytes);
void *hepta_memalign(size_t alignment, size_t bytes);

/*
 * 0, ENOMEM, or EINVAL when alignment is no power of two or no multiple of sizeof(void *); *result is set
 * only on success. errno is kept.
 */
int hepta_posix_memalign(void **result, size_t alignment, size_t bytes);

/* A block aligned to the page size; hepta_pvalloc also rounds the size up to whole pages. */
void *hepta_valloc(size_t bytes);
void *hepta_pvalloc(size_t bytes);

/* Bytes of the block that may be used: at least what was asked for. 0 for NULL. */
size_t hepta_malloc_usable_size(void *pointer);

/*
 * Returns free memory to the system: the caller's cache, every owner and region that is not in use at
 * this moment. `pad_bytes` is accepted for glibc's sake. 1 when memory was returned, else 0.
 */
int hepta_malloc_trim(size_t pad_bytes);

/*
 * A ceiling on the memory that is mapped, records included, in bytes; 0 takes it away. When a request would
 * pass it, everything that can be returned is, then the request is tried once more and fails with ENOMEM.
 * Returns the ceiling that was set before, 0 for none. What is mapped above it already stays.
 */
size_t hepta_set_limit(size_t bytes);

/* Accepts glibc's parameters; they have no meaning here. 1, or 0 for a value that glibc refuses. */
int hepta_mallopt(int parameter, int value);

/* A summary on stderr; the same as XML on `stream` (options must be 0: else EINVAL is returned). */
void hepta_malloc_stats(void);
int hepta_malloc_info(int options, FILE *stream);

/* The structures are defined in <malloc.h>, which has to be included for their members. */
struct mallinfo hepta_mallinfo(void);
struct mallinfo2 hepta_mallinfo2(void);

#if defined(__cplusplus)
}
#endif
