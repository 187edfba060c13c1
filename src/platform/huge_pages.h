/*
 * huge_pages: what the kernel is told about transparent huge pages of new mappings.
 *
 * Owns:        the policy.
 * Invariants:  none.
 * Threads:     any; the policy is set once, from the options, before most memory is mapped.
 * Ordering:    none.
 * Progress:    as the kernel's call; a refusal is no failure. errno is kept.
 * Used by:     range, huge, options.
 */
#pragma once

#include <stddef.h>

typedef enum hp_huge_pages {
    HP_HUGE_PAGES_DEFAULT, /* as the system is set up */
    HP_HUGE_PAGES_NEVER,
    HP_HUGE_PAGES_ALWAYS
} hp_huge_pages;

void hp_huge_pages_set(hp_huge_pages policy);

/* By the policy, for pages that user memory will lie in. */
void hp_huge_pages_advise(void *address, size_t bytes);
