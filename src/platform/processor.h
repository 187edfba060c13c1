/*
 * processor: which processor the caller runs on, read where the kernel keeps it for libc (restartable sequences,
 * Linux 4.18 and glibc 2.35): two loads, no call.
 *
 * Owns:        nothing.
 * Invariants:  none.
 * Threads:     any. The answer is a hint: the thread may be elsewhere by the time that it looks at it.
 * Ordering:    relaxed; the word is written by the kernel, for this thread alone.
 * Progress:    wait-free.
 * Calls:       nothing.   Used by: owner, owners, front.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/compiler.h"

/* Where a thread's struct rseq lies from its thread pointer; absent in a libc that has none. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));

/* struct rseq begins with cpu_id_start, and cpu_id follows. */
#define HP_RSEQ_CPU_ID_OFFSET_BYTES 4

/* No processor has this number. */
#define HP_NO_PROCESSOR UINT32_MAX

/* Its number, or always the same one where the kernel does not tell. */
HP_INLINE uint32_t hp_processor(void)
{
    if (HP_UNLIKELY(&__rseq_offset == NULL)) {
        return 0;
    }
    char *self = __builtin_thread_pointer();
    const _Atomic uint32_t *number =
        (const _Atomic uint32_t *)(const void *)(self + __rseq_offset +
                                                 HP_RSEQ_CPU_ID_OFFSET_BYTES);
    /* relaxed: a hint */
    return atomic_load_explicit(number, memory_order_relaxed);
}
