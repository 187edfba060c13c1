/*
 * reclaim: what is returned before a request fails, and by malloc_trim.
 *
 * Owns:        nothing.
 * Invariants:  none.
 * Threads:     any, outside of every claim.
 * Ordering:    none of its own.
 * Progress:    claims like everybody and waits for nobody; what somebody else has claimed goes at the purger's next looks.
 * Calls:       thread, owners, arena, huge, purge, purger.   Used by: slow, introspect.
 */
#pragma once

#include <stddef.h>

#include "platform/compiler.h"

/* Returns everything that can be returned at this moment to the system; the bytes given back. */
HP_COLD size_t hp_reclaim(void);
