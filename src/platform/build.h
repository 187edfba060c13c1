/*
 * build: what was decided at build time, as constants that ordinary `if` can test.
 *
 * Owns:        nothing.
 * Invariants:  none at run time; each constant is 0 or 1.
 * Threads:     any.
 * Ordering:    none.
 * Progress:    wait-free.
 * Used by:     every floor.
 */
#pragma once

#include <stdbool.h>

#ifndef HP_DEBUG
#define HP_DEBUG 0
#endif

#ifndef HP_PREFIX_ONLY
#define HP_PREFIX_ONLY 0
#endif

/* Every module checks its invariants on entry and exit of the operations that can break them. */
static const bool hp_debug = HP_DEBUG;
