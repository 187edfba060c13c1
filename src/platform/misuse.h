/*
 * misuse: a call of the API that cannot be right is reported in one line, then the process aborts.
 *
 * Owns:        the choice between aborting and only reporting.
 * Invariants:
 *   U1  nothing of the allocator's own state was changed by the call that is reported.
 * Threads:     any.
 * Ordering:    none.
 * Progress:    wait-free but for the write of the line.
 * Calls:       report.   Used by: slab, owner, thread, front.
 */
#pragma once

#include <stdbool.h>

#include "platform/compiler.h"

/* "hepta: <call>: <what> 0x...". Returns only when the option report_only is set. */
HP_COLD void hp_misuse(const char *call, const char *what, const void *pointer);

void hp_misuse_set_report_only(bool only_report);
