/*
 * move_pages: the pages of a mapping go to another range, longer or shorter, without being copied.
 *
 * Owns:        nothing.
 * Invariants:
 *   MV1 the range that the pages went to has a leaf in the address map: its entries can be set.
 * Threads:     the holder of the mapping.
 * Ordering:    P14 (the leaf that is kept for a place that is not known yet).
 * Progress:    as the kernel's calls.
 * Calls:       system, address map.   Used by: huge.
 */
#pragma once

#include <stddef.h>

/*
 * Where they are now, or NULL: nothing changed. No entry of the map may name the old range: it may belong to
 * somebody else as soon as the pages have left it.
 */
char *hp_move_pages(char *mapping, size_t old_bytes, size_t new_bytes);
