/*
 * huge_pages: what the kernel is told about transparent huge pages: of new mappings, and before a part of a huge
 * page is given back.
 *
 * A huge page of which a part is discarded leaves the resident set in part, but its memory comes back only when
 * the kernel is short of it, and the part that is used again takes other memory meanwhile. A huge page that was split
 * before comes back at once. MADV_COLD for one page of it splits it, and does nothing else that counts.
 *
 * Owns:        the policy; whether huge pages are to be reckoned with.
 * Invariants:  none.
 * Threads:     any; the policy is set once, from the options, before most memory is mapped.
 * Ordering:    none.
 * Progress:    as the kernel's call; a refusal is no failure. errno is kept.
 * Used by:     range, huge, system, purger, options.
 */
#pragma once

#include <stddef.h>

#define HP_HUGE_PAGE_BYTES ((size_t)2 << 20)

typedef enum hp_huge_pages {
    HP_HUGE_PAGES_DEFAULT, /* as the system is set up */
    HP_HUGE_PAGES_NEVER,
    HP_HUGE_PAGES_ALWAYS
} hp_huge_pages;

void hp_huge_pages_set(hp_huge_pages policy);

/* By the policy, for pages that user memory will lie in. */
void hp_huge_pages_advise(void *address, size_t bytes);

/* By the purger's thread, once: whether the system gives huge pages to whom did not ask for them. */
void hp_huge_pages_ask_system(void);

/* A page in each huge page of which the range has a part and not all: at most two; how many. */
unsigned hp_huge_pages_cut(char *address, size_t bytes, char *cut[2]);

/* Before the range is given back: those become small pages, where huge ones are to be reckoned with. */
void hp_huge_pages_split(void *address, size_t bytes);
