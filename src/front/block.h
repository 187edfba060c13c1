/*
 * block: what a pointer of the program is, for who does not take the hot path.
 *
 * Owns:        nothing.
 * Invariants:  none of its own.
 * Threads:     any.
 * Ordering:    none of its own.
 * Progress:    wait-free.
 * Calls:       thread, inbox, singles, large, misuse.   Used by: slow, malloc, realloc, introspect.
 */
#pragma once

#include <stddef.h>

#include "metadata/address_map.h"
#include "platform/compiler.h"

/* Usable bytes; 0 after a report when the pointer is no block's start. */
size_t hp_usable_bytes(void *pointer, const char *call);

/* As hp_large_resize; what waits behind a run for another of its class may become a part of it. */
void *hp_resize_large(hp_entry entry, void *pointer, size_t usable_bytes, size_t bytes);

/* "double free of" when a block of ours was freed there, "invalid pointer" when none ever was. */
HP_COLD void hp_report_pointer(const char *call, hp_entry entry, const void *pointer);
