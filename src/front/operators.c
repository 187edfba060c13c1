/*
 * operator new and operator delete, by the names of the Itanium C++ ABI.
 *
 * A program may define any of these operators for itself. So they build on one another by name, as the
 * standard says that the default ones do: who replaces the plain new and delete gets the calls of
 * the array, nothrow and sized forms as well.
 *
 * operator new(bytes)
 *   line of the class has a chunk: return it
 *   new_or_throw                hepta_malloc; on failure the new-handler, again and again; bad_alloc
 * operator new(bytes, alignment)
 *   line of the rounded size's class has a chunk: return it
 *   new_or_throw                hepta_memalign, and so on
 * operator new(bytes, nothrow)
 *   line of the class has a chunk: return it
 *   new_or_null                 as operator new; what that throws is caught: NULL
 */
#include <stdbool.h>
#include <stddef.h>

#include "front/hot_path.h"
#include "hepta/hepta.h"
#include "platform/cxx_runtime.h"
#include "platform/export.h"
#include "platform/system.h"

/* std::nothrow_t is empty and std::align_val_t is a size_t. */
typedef const void hp_nothrow;

/* The names that other operators build on. */
HP_EXPORT HP_WEAK void *_Znwm(size_t bytes);
HP_EXPORT HP_WEAK void *_Znam(size_t bytes);
HP_EXPORT HP_WEAK void *_ZnwmSt11align_val_t(size_t bytes, size_t align_bytes);
HP_EXPORT HP_WEAK void *_ZnamSt11align_val_t(size_t bytes, size_t align_bytes);
HP_EXPORT HP_WEAK void _ZdlPv(void *pointer);
HP_EXPORT HP_WEAK void _ZdaPv(void *pointer);
HP_EXPORT HP_WEAK void _ZdlPvSt11align_val_t(void *pointer, size_t align_bytes);
HP_EXPORT HP_WEAK void _ZdaPvSt11align_val_t(void *pointer, size_t align_bytes);

/* ---- new ---- */

/* align_bytes 0: what malloc aligns to. */
static void *allocate(size_t bytes, size_t align_bytes)
{
    return align_bytes == 0 ? hepta_malloc(bytes) : hepta_memalign(align_bytes, bytes);
}

static HP_SLOW void *new_or_throw(size_t bytes, size_t align_bytes)
{
    for (;;) {
        void *block = allocate(bytes, align_bytes);
        if (HP_LIKELY(block != NULL)) {
            return block;
        }
        hp_new_handler handler = hp_cxx_new_handler();
        if (handler == NULL) {
            hp_cxx_throw_bad_alloc();
        }
        handler();
    }
}

static HP_STANDARD_TARGET void *operator_new(size_t bytes)
{
    void *chunk = hp_hot_malloc(bytes);
    return HP_LIKELY(chunk != NULL) ? chunk : new_or_throw(bytes, 0);
}

static HP_STANDARD_TARGET void *operator_new_array(size_t bytes)
{
    return _Znwm(bytes);
}

static HP_STANDARD_TARGET void *operator_new_aligned(size_t bytes, size_t align_bytes)
{
    if (HP_UNLIKELY(!hp_is_power_of_two(align_bytes))) {
        hp_cxx_throw_bad_alloc();
    }
    void *chunk = hp_hot_aligned(bytes, align_bytes);
    return HP_LIKELY(chunk != NULL) ? chunk : new_or_throw(bytes, align_bytes);
}

static HP_STANDARD_TARGET void *operator_new_array_aligned(size_t bytes, size_t align_bytes)
{
    return _ZnwmSt11align_val_t(bytes, align_bytes);
}

/* ---- new that does not throw ---- */

typedef void *(*new_function)(size_t bytes, size_t align_bytes);

static void *call_new(size_t bytes, size_t align_bytes)
{
    (void)align_bytes;
    return _Znwm(bytes);
}

static void *call_new_array(size_t bytes, size_t align_bytes)
{
    (void)align_bytes;
    return _Znam(bytes);
}

/*
 * Nothing can throw while there is a block. Without a runtime to catch by, a program's own operator is
 * called bare: it was built without exceptions then. Ours is not: its failure is to be NULL.
 */
static HP_SLOW void *new_or_null(size_t bytes, size_t align_bytes, new_function function,
                                 bool replaced)
{
    if (!replaced) {
        void *block = allocate(bytes, align_bytes);
        if (block != NULL || !hp_cxx_can_catch() || hp_cxx_new_handler() == NULL) {
            return block;
        }
    }
    return hp_cxx_can_catch() ? hp_cxx_without_throwing(bytes, align_bytes, function)
                              : function(bytes, align_bytes);
}

static HP_STANDARD_TARGET void *operator_new_nothrow(size_t bytes, hp_nothrow *nothrow)
{
    (void)nothrow;
    bool replaced = _Znwm != operator_new;
    void *chunk = HP_LIKELY(!replaced) ? hp_hot_malloc(bytes) : NULL;
    return HP_LIKELY(chunk != NULL) ? chunk : new_or_null(bytes, 0, call_new, replaced);
}

static HP_STANDARD_TARGET void *operator_new_array_nothrow(size_t bytes, hp_nothrow *nothrow)
{
    (void)nothrow;
    bool replaced = _Znwm != operator_new || _Znam != operator_new_array;
    void *chunk = HP_LIKELY(!replaced) ? hp_hot_malloc(bytes) : NULL;
    return HP_LIKELY(chunk != NULL) ? chunk : new_or_null(bytes, 0, call_new_array, replaced);
}

static HP_STANDARD_TARGET void *operator_new_aligned_nothrow(size_t bytes, size_t align_bytes,
                                                             hp_nothrow *nothrow)
{
    (void)nothrow;
    if (HP_UNLIKELY(!hp_is_power_of_two(align_bytes))) {
        return NULL;
    }
    bool replaced = _ZnwmSt11align_val_t != operator_new_aligned;
    return new_or_null(bytes, align_bytes, _ZnwmSt11align_val_t, replaced);
}

static HP_STANDARD_TARGET void *operator_new_array_aligned_nothrow(size_t bytes, size_t align_bytes,
                                                                   hp_nothrow *nothrow)
{
    (void)nothrow;
    if (HP_UNLIKELY(!hp_is_power_of_two(align_bytes))) {
        return NULL;
    }
    bool replaced = _ZnwmSt11align_val_t != operator_new_aligned ||
                    _ZnamSt11align_val_t != operator_new_array_aligned;
    return new_or_null(bytes, align_bytes, _ZnamSt11align_val_t, replaced);
}

/* ---- delete ---- */

/*
 * What C++ passes beside the pointer (size, alignment, nothrow) comes in registers that nobody here has
 * to read, so one function serves several forms. A wrong size does no harm.
 */
static HP_STANDARD_TARGET void operator_delete(void *pointer)
{
    hepta_free(pointer);
}

static HP_STANDARD_TARGET void delete_by_plain(void *pointer)
{
    _ZdlPv(pointer);
}

static HP_STANDARD_TARGET void delete_by_array(void *pointer)
{
    _ZdaPv(pointer);
}

static HP_STANDARD_TARGET void operator_delete_aligned(void *pointer, size_t align_bytes)
{
    (void)align_bytes;
    hepta_free(pointer);
}

static HP_STANDARD_TARGET void delete_by_aligned(void *pointer, size_t align_bytes)
{
    _ZdlPvSt11align_val_t(pointer, align_bytes);
}

static HP_STANDARD_TARGET void delete_by_array_aligned(void *pointer, size_t align_bytes)
{
    _ZdaPvSt11align_val_t(pointer, align_bytes);
}

static HP_STANDARD_TARGET void delete_sized_aligned(void *pointer, size_t bytes, size_t align_bytes)
{
    (void)bytes;
    _ZdlPvSt11align_val_t(pointer, align_bytes);
}

static HP_STANDARD_TARGET void delete_array_sized_aligned(void *pointer, size_t bytes,
                                                          size_t align_bytes)
{
    (void)bytes;
    _ZdaPvSt11align_val_t(pointer, align_bytes);
}

/* ---- the names ---- */

HP_REPLACEABLE_NAME(void *, _Znwm, (size_t bytes), operator_new);
HP_REPLACEABLE_NAME(void *, _Znam, (size_t bytes), operator_new_array);
HP_REPLACEABLE_NAME(void *, _ZnwmRKSt9nothrow_t, (size_t bytes, hp_nothrow *nothrow),
                    operator_new_nothrow);
HP_REPLACEABLE_NAME(void *, _ZnamRKSt9nothrow_t, (size_t bytes, hp_nothrow *nothrow),
                    operator_new_array_nothrow);
HP_REPLACEABLE_NAME(void *, _ZnwmSt11align_val_t, (size_t bytes, size_t align_bytes),
                    operator_new_aligned);
HP_REPLACEABLE_NAME(void *, _ZnamSt11align_val_t, (size_t bytes, size_t align_bytes),
                    operator_new_array_aligned);
HP_REPLACEABLE_NAME(void *, _ZnwmSt11align_val_tRKSt9nothrow_t,
                    (size_t bytes, size_t align_bytes, hp_nothrow *nothrow),
                    operator_new_aligned_nothrow);
HP_REPLACEABLE_NAME(void *, _ZnamSt11align_val_tRKSt9nothrow_t,
                    (size_t bytes, size_t align_bytes, hp_nothrow *nothrow),
                    operator_new_array_aligned_nothrow);

HP_REPLACEABLE_NAME(void, _ZdlPv, (void *pointer), operator_delete);
HP_REPLACEABLE_NAME(void, _ZdlPvm, (void *pointer), delete_by_plain);
HP_REPLACEABLE_NAME(void, _ZdlPvRKSt9nothrow_t, (void *pointer), delete_by_plain);
HP_REPLACEABLE_NAME(void, _ZdaPv, (void *pointer), delete_by_plain);
HP_REPLACEABLE_NAME(void, _ZdaPvm, (void *pointer), delete_by_array);
HP_REPLACEABLE_NAME(void, _ZdaPvRKSt9nothrow_t, (void *pointer), delete_by_array);
HP_REPLACEABLE_NAME(void, _ZdlPvSt11align_val_t, (void *pointer, size_t align_bytes),
                    operator_delete_aligned);
HP_REPLACEABLE_NAME(void, _ZdlPvSt11align_val_tRKSt9nothrow_t, (void *pointer, size_t align_bytes),
                    delete_by_aligned);
HP_REPLACEABLE_NAME(void, _ZdaPvSt11align_val_t, (void *pointer, size_t align_bytes),
                    delete_by_aligned);
HP_REPLACEABLE_NAME(void, _ZdaPvSt11align_val_tRKSt9nothrow_t, (void *pointer, size_t align_bytes),
                    delete_by_array_aligned);
HP_REPLACEABLE_NAME(void, _ZdlPvmSt11align_val_t, (void *pointer, size_t bytes, size_t align_bytes),
                    delete_sized_aligned);
HP_REPLACEABLE_NAME(void, _ZdaPvmSt11align_val_t, (void *pointer, size_t bytes, size_t align_bytes),
                    delete_array_sized_aligned);
