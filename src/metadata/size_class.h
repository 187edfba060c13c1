/*
 * size_class: which slot size serves a request, and how a slab of that size is cut.
 *
 * Small: 16-byte steps to 1,024 (classes 0..63). Then 8 per doubling: medium to 8 KiB (64..87), which
 * threads cache as well, large slots to 32 KiB (88..103), and runs of whole pages to 256 KiB (104..127).
 * There is no header, so a slot or a run of a class serves its whole size.
 *
 * Owns:        nothing; pure arithmetic.
 * Invariants:  (tests/spec_size_class.c walks every size)
 *   Z1  hp_class_bytes(hp_class_of(n)) >= n; at most n + 15 up to 1,024, at most n * 1.125 beyond.
 *   Z2  a class of size s in (2^k, 2^(k+1)] is a multiple of its step, so a request that is rounded up
 *       to a multiple of a power of two gets a slot size that is a multiple of it too.
 * Threads:     any.
 * Ordering:    none.
 * Progress:    wait-free.
 * Used by:     slab, owner, thread, front.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/compiler.h"

#define HP_SMALL_STEP_BYTES 16u
#define HP_SMALL_MAX_BYTES 1024u
#define HP_SMALL_CLASSES (HP_SMALL_MAX_BYTES / HP_SMALL_STEP_BYTES)
#define HP_SMALL_MAX_LOG2 10u
#define HP_STEPS_LOG2 3u  /* 8 classes per doubling above HP_SMALL_MAX_BYTES */
#define HP_LINE_CHUNKS 7u /* of a class that a thread keeps, at most */
#define HP_CACHED_MAX_BYTES 8192u
#define HP_CACHED_CLASSES (HP_SMALL_CLASSES + 3u * (1u << HP_STEPS_LOG2))
#define HP_SLAB_MAX_SLOT_BYTES 32768u
#define HP_CLASSES (HP_SMALL_CLASSES + 5u * (1u << HP_STEPS_LOG2)) /* of slots */
#define HP_RUN_CLASS_MAX_BYTES 262144u
#define HP_RUN_CLASSES (3u * (1u << HP_STEPS_LOG2))
#define HP_DEPOT_CLASSES (HP_CLASSES + HP_RUN_CLASSES) /* all */

/* A slab is a multiple of this and aligned to it: the grain of the hot map. */
#define HP_GRAIN_LOG2 16u
#define HP_GRAIN_BYTES ((size_t)1 << HP_GRAIN_LOG2)
#define HP_SMALL_SLAB_BYTES HP_GRAIN_BYTES
/* Slots that threads do not cache lie in larger slabs, so that every slab has at least 8. */
#define HP_LARGE_SLAB_BYTES (4 * HP_GRAIN_BYTES)
#define HP_SLAB_MAX_SLOTS (HP_SMALL_SLAB_BYTES / HP_SMALL_STEP_BYTES)

_Static_assert(HP_SLAB_MAX_SLOTS <= 64 * 64, "one summary word covers every bitmap word of a slab");

/* HP_SMALL_MAX_BYTES < bytes <= HP_RUN_CLASS_MAX_BYTES */
HP_INLINE unsigned hp_medium_class_of(size_t bytes)
{
    size_t last = bytes - 1;
    unsigned log2 = hp_highest_bit(last);
    unsigned step_log2 = log2 - HP_STEPS_LOG2;
    unsigned step = (unsigned)(last >> step_log2) - (1u << HP_STEPS_LOG2);
    return HP_SMALL_CLASSES + ((log2 - HP_SMALL_MAX_LOG2) << HP_STEPS_LOG2) + step;
}

/* 1 <= bytes <= HP_RUN_CLASS_MAX_BYTES */
HP_INLINE unsigned hp_class_of(size_t bytes)
{
    return bytes <= HP_SMALL_MAX_BYTES ? (unsigned)((bytes - 1) / HP_SMALL_STEP_BYTES)
                                       : hp_medium_class_of(bytes);
}

/* Of a class that is not small. */
HP_INLINE size_t hp_medium_class_bytes(unsigned size_class)
{
    unsigned above = size_class - HP_SMALL_CLASSES;
    unsigned doubling = above >> HP_STEPS_LOG2;
    size_t steps = (1u << HP_STEPS_LOG2) + (above & ((1u << HP_STEPS_LOG2) - 1)) + 1;
    return steps << (HP_SMALL_MAX_LOG2 - HP_STEPS_LOG2 + doubling);
}

HP_INLINE size_t hp_class_bytes(unsigned size_class)
{
    return size_class < HP_SMALL_CLASSES ? (size_t)(size_class + 1) * HP_SMALL_STEP_BYTES
                                         : hp_medium_class_bytes(size_class);
}

/* A block of so many bytes is too long for every line: it is one of the singles of the largest class that fits into it. */
HP_INLINE bool hp_is_above_lines(size_t bytes)
{
    return bytes >= hp_class_bytes(HP_CACHED_CLASSES);
}

/* How many chunks of a medium class a thread keeps: 7 to 2 KiB, 4 to 4 KiB, 2 to 8 KiB. */
HP_INLINE unsigned hp_medium_line_chunks(unsigned size_class)
{
    unsigned doubling = (size_class - HP_SMALL_CLASSES) >> HP_STEPS_LOG2;
    return (HP_LINE_CHUNKS + doubling) >> doubling;
}

/* Of a class of slots. */
HP_INLINE size_t hp_class_slab_bytes(unsigned size_class)
{
    return size_class < HP_CACHED_CLASSES ? HP_SMALL_SLAB_BYTES : HP_LARGE_SLAB_BYTES;
}

/*
 * Division by multiplication: offset / slot = (offset * reciprocal) >> 40, exact for every offset
 * below the largest slab (Granlund and Montgomery, "Division by invariant integers using
 * multiplication", 1994: the error offset * (reciprocal - 2^40 / slot) stays below 2^40 / slot).
 */
#define HP_RECIPROCAL_SHIFT 40u

HP_INLINE uint64_t hp_reciprocal(size_t slot_bytes)
{
    return (((uint64_t)1 << HP_RECIPROCAL_SHIFT) + slot_bytes - 1) / slot_bytes;
}

HP_INLINE unsigned hp_divide(size_t offset, uint64_t reciprocal)
{
    return (unsigned)((offset * reciprocal) >> HP_RECIPROCAL_SHIFT);
}
