/*
 * memory: what the stress programs need for themselves and what they know about the process.
 *
 * Tables of a stress program come straight from the system, so that they neither load nor hide
 * anything in the allocator under test. All functions may be called by any thread and none
 * calls an allocator.
 */
#pragma once

#include <stddef.h>

/* Zeroed memory from mmap; the program fails when the system refuses. */
void *memory_map(size_t bytes);
void memory_unmap(void *address, size_t bytes);

size_t memory_resident_bytes(void);
size_t memory_virtual_bytes(void);
