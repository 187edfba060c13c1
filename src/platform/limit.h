/*
 * limit: how much memory is mapped, and how much may be.
 *
 * Every mapping is counted here before it is asked for, and taken off again when it goes or is refused. So a
 * ceiling holds at every moment, whoever maps at the same time.
 *
 * Owns:        the count of mapped bytes, the ceiling, the soft limit, whether the system has one.
 * Invariants:
 *   LM1 the mapped bytes are at most the ceiling, but for what was mapped before the ceiling was set.
 * Threads:     any.
 * Ordering:    none: relaxed counters; the sum of all additions is never above the ceiling.
 * Progress:    lock-free: an addition that meets another one begins again.
 * Used by:     system, purger, options, front.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define HP_NO_LIMIT UINT64_MAX

/* Counts so many bytes more; false, and nothing is counted, when that is above the ceiling. */
bool hp_limit_add(uint64_t bytes);
void hp_limit_take_off(uint64_t bytes);

/* Address space that is mapped: regions, mappings of their own, records and tables. */
uint64_t hp_limit_mapped_bytes(void);

/* HP_NO_LIMIT: none. */
void hp_limit_set_ceiling(uint64_t bytes);
uint64_t hp_limit_ceiling(void);

/* Asks the system once whether address space is limited: then it is not for keeping without memory. */
void hp_limit_ask_system(void);
bool hp_limit_address_space_is_scarce(void);

/*
 * Whether a request that the system has refused may be granted when memory was given back: not one that is longer than
 * the ceiling, or than all memory and swap where address space has no limit.
 */
bool hp_limit_may_ever_fit(uint64_t bytes);

/* Above this resident memory free pages go back at the next look, whatever their age. */
void hp_limit_set_soft(uint64_t bytes);
uint64_t hp_limit_soft(void);
