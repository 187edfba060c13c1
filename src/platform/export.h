/*
 * export: the standard names of the malloc family, as aliases of the prefixed functions.
 *
 * Owns:        nothing.
 * Invariants:
 *   E1  a build with HP_PREFIX_ONLY defines no name that belongs to another allocator (tests/tools
 *       list the symbols of both builds).
 * Threads:     any.
 * Ordering:    none.
 * Progress:    wait-free; an alias is the same code under a second name.
 * Used by:     front.
 */
#pragma once

#include "platform/build.h"
#include "platform/compiler.h"

/*
 * HP_STANDARD_NAME(void *, malloc, (size_t bytes), hepta_malloc); makes a second name for a function
 * that is defined above it. HP_REPLACEABLE_NAME does the same for a name that a program may define for
 * itself: every call by that name, also one from this library, then reaches the program's function.
 */

/* A function that may have no user but a standard name. */
#define HP_STANDARD_TARGET __attribute__((unused))

#if HP_PREFIX_ONLY

/* The build leaves the name out; the target must exist all the same. */
#define HP_STANDARD_NAME(type, name, parameters, target) \
    _Static_assert(sizeof(&(target)) != 0, "the target of a standard name")
#define HP_REPLACEABLE_NAME HP_STANDARD_NAME

#elif defined(__clang__)

#define HP_STANDARD_NAME(type, name, parameters, target) \
    HP_EXPORT type name parameters __attribute__((alias(#target)))
#define HP_REPLACEABLE_NAME(type, name, parameters, target) \
    HP_EXPORT type name parameters __attribute__((weak, alias(#target)))

#else

/* gcc wants an alias to promise what its target promises (malloc, nothrow, ...). */
#define HP_STANDARD_NAME(type, name, parameters, target) \
    HP_EXPORT type name parameters __attribute__((alias(#target), copy(target)))
#define HP_REPLACEABLE_NAME(type, name, parameters, target) \
    HP_EXPORT type name parameters __attribute__((weak, alias(#target), copy(target)))

#endif
