/*
 * pressure: how much memory the process has, how much its control group allows, and whether the group waits for
 * memory.
 *
 * Owns:        what was read last, and when.
 * Invariants:
 *   PR1 files of the group are read at most once a second, and only when limit:auto asks for it.
 * Threads:     whoever has the purger's role; hp_pressure_follow any.
 * Ordering:    none.
 * Progress:    as the kernel's calls.
 * Calls:       cgroup.   Used by: purger, options.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * What the process has in memory, but for the pages of files: as the kernel says, at once. UINT64_MAX where /proc
 * tells nothing.
 */
uint64_t hp_pressure_resident_bytes(void);

/* From here on the group is followed, or not. */
void hp_pressure_follow(bool wanted);
bool hp_pressure_is_followed(void);

/* Reads what there is if a second has passed. Of what is allowed, an eighth below the hard limit is left free. */
void hp_pressure_read(uint64_t now_ms);

/* Resident bytes above which free memory should go, UINT64_MAX without a limit. */
uint64_t hp_pressure_allowed_bytes(void);

/* Whether tasks of the group waited for memory for more than a hundredth of the time between the last readings. */
bool hp_pressure_is_high(void);
