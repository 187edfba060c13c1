/*
 * cxx_runtime: what operator new needs of the C++ runtime, when the process has one.
 *
 * Every symbol is a weak reference, so the library itself needs no C++. A runtime that is loaded later,
 * as that of a plugin written in C++, is looked up when it is needed: after a failed allocation. A weak
 * reference pulls nothing out of an archive: a fully static program in which nothing names bad_alloc and
 * nothing of libstdc++ throws by itself has no way to throw it, and aborts.
 *
 * Owns:        nothing.
 * Invariants:  (tests/run_operators.sh)
 *   Y1  no exception leaves hp_cxx_without_throwing when hp_cxx_can_catch().
 * Threads:     any.
 * Ordering:    none.
 * Progress:    as the runtime's functions; the loader is asked only after memory has run out, where a
 *              throw would ask it as well.
 * Calls:       libstdc++ or libc++, libdl.   Used by: operators.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "platform/compiler.h"

typedef void (*hp_new_handler)(void);

/* The program's new-handler, NULL when there is none. */
HP_COLD hp_new_handler hp_cxx_new_handler(void);

/* Throws std::bad_alloc. Without a runtime that could, reports in one line and aborts. */
HP_NORETURN HP_COLD void hp_cxx_throw_bad_alloc(void);

/* True when the process started with a C++ runtime: hp_cxx_without_throwing works. */
bool hp_cxx_can_catch(void);

/* call(bytes, align_bytes), or NULL when that throws. */
void *hp_cxx_without_throwing(size_t bytes, size_t align_bytes, void *(*call)(size_t, size_t));
