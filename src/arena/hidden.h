/*
 * hidden: free pages that core files leave out, where dump:live asks for it.
 *
 * The kernel keeps a mark per mapping, so a hidden range among others is a mapping of its own. Hidden are
 * therefore only free chunks of some length, each as a whole, and no more of them than so many. Pages without
 * memory are in no core file anyway, so a chunk is hidden when dirty pages come to it and stays so when they
 * have gone back; its pages are shown when they are handed out.
 *
 * Owns:        the choice; how many hidden chunks there are.
 * Invariants:
 *   HI1 a chunk in use and a mapping in use are shown, unless the kernel refuses.
 *   HI2 a free chunk with dirty pages and of HP_HIDDEN_LEAST_BYTES or more is hidden, while fewer than
 *       HP_HIDDEN_MOST_CHUNKS are.
 * Threads:     as said below; those of a chunk in use or a mapping by whoever holds it.
 * Ordering:    P1 for the mark of a chunk.
 * Progress:    as the kernel's call; a refusal is no failure.
 * Calls:       bfc, system.   Used by: region, arena, huge, options.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena/region.h"
#include "platform/compiler.h"

#define HP_HIDDEN_LEAST_BYTES ((size_t)256 << 10)
/* Each may make two mappings more; a process may have 65,530. */
#define HP_HIDDEN_MOST_CHUNKS 8192u

extern _Atomic bool hp_hides_free_pages; /* shared: relaxed, set from the options */

/* Before most memory is mapped. */
void hp_hidden_set(bool wanted);

HP_INLINE bool hp_hidden_is_wanted(void)
{
    /* relaxed: a choice, nothing depends on its order */
    return HP_UNLIKELY(atomic_load_explicit(&hp_hides_free_pages, memory_order_relaxed));
}

/* A chunk of the core got free pages. Under the claim. */
void hp_hide_chunk(hp_region *region, uint32_t chunk);

HP_COLD void hp_show_chunk(hp_region *region, uint32_t chunk);

/* A chunk was handed out, or grew. By its holder; better not under the claim. */
HP_INLINE void hp_show_if_hidden(hp_region *region, uint32_t chunk)
{
    if (HP_UNLIKELY(region->bfc.chunks[chunk].hiding != HP_BFC_SHOWN)) {
        hp_show_chunk(region, chunk);
    }
}

/* The core's hidden chunks go into the sum of all. Under the claim. */
HP_COLD void hp_hidden_count(hp_region *region);

/* A whole mapping, by its holder; where nothing is to be hidden nothing is done. */
void hp_hide_mapping(void *start, size_t bytes);
void hp_show_mapping(void *start, size_t bytes);
