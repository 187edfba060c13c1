/*
 * pages: memory for a workload's own records, straight from the system, so that neither its time nor its
 * bytes are the allocator's.
 *
 * Threads   any.
 */
#pragma once

#include <stddef.h>

/* Zeroed, aligned to a page. Ends the program if there is none. */
void *bench_pages(size_t bytes);

void bench_pages_free(void *address, size_t bytes);
