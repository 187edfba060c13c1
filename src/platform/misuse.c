#include "platform/misuse.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "platform/report.h"

static _Atomic bool report_only; /* shared: relaxed, set once from the options */

void hp_misuse_set_report_only(bool only_report)
{
    /* relaxed: a choice, nothing depends on its order */
    atomic_store_explicit(&report_only, only_report, memory_order_relaxed);
}

void hp_misuse(const char *call, const char *what, const void *pointer)
{
    hp_message message;
    hp_message_begin(&message);
    hp_message_text(&message, call);
    hp_message_text(&message, ": ");
    hp_message_text(&message, what);
    hp_message_text(&message, " ");
    hp_message_pointer(&message, pointer);
    hp_message_send(&message);
    /* relaxed: a choice, nothing depends on its order */
    if (!atomic_load_explicit(&report_only, memory_order_relaxed)) {
        abort();
    }
}
