/*
 * The options, a row each. A new one is a new row: parser, help and manual page follow.
 */
#include <stddef.h>

#include "arena/hidden.h"
#include "cache/thread.h"
#include "platform/huge_pages.h"
#include "platform/limit.h"
#include "platform/misuse.h"
#include "service/decay.h"
#include "service/options.h"
#include "service/pressure.h"
#include "service/purger.h"
#include "service/statistics.h"

static void set_report_only(int64_t value)
{
    hp_misuse_set_report_only(value != 0);
}

static void set_check(int64_t value)
{
    hp_thread_set_caches(value == 0);
}

static void set_stats(int64_t value)
{
    hp_statistics_set_at_exit(value != 0);
}

static void set_purger(int64_t value)
{
    hp_purger_set_thread(value != 0);
}

/* -1: auto. */
static void set_limit(int64_t value)
{
    hp_pressure_follow(value < 0);
    hp_limit_set_ceiling(value <= 0 ? HP_NO_LIMIT : (uint64_t)value);
}

/* In the order of thp_words, which is that of hp_huge_pages. */
static void set_thp(int64_t value)
{
    hp_huge_pages_set((hp_huge_pages)value);
}

/* In the order of dump_words. */
static void set_dump(int64_t value)
{
    hp_hidden_set(value != 0);
}

static void set_soft_limit(int64_t value)
{
    hp_limit_set_soft(value == 0 ? HP_NO_LIMIT : (uint64_t)value);
}

static void show(int64_t value)
{
    (void)value;
    hp_options_show(hp_option_table);
}

/* All that addresses reach. */
#define MOST_BYTES ((int64_t)1 << 47)

static const char *const thp_words[] = {"default", "never", "always", NULL};
static const char *const dump_words[] = {"all", "live", NULL};
static const char *const limit_words[] = {"auto", NULL};

const hp_option hp_option_table[] = {
    {
        .name = "report_only",
        .kind = HP_OPTION_FLAG,
        .initial = "off",
        .help = "A misuse is reported on stderr and then ignored, where the process would abort.",
        .set = set_report_only,
    },
    {
        .name = "check",
        .kind = HP_OPTION_FLAG,
        .initial = "off",
        .help = "Threads keep no cache, so that every free is checked at once; this is slower.",
        .set = set_check,
    },
    {
        .name = "stats",
        .kind = HP_OPTION_FLAG,
        .initial = "off",
        .help = "When the process exits, prints what malloc_stats() prints.",
        .set = set_stats,
    },
    {
        .name = "decay_ms",
        .kind = HP_OPTION_INTEGER,
        .least = HP_DECAY_NEVER,
        .most = HP_DECAY_MOST_MS,
        .initial = "1000",
        .help =
            "Free memory goes back to the system within one to two times this after its last use; "
            "0: as soon as possible, -1: not because of its age.",
        .set = hp_purger_set_decay,
    },
    {
        .name = "purger",
        .kind = HP_OPTION_FLAG,
        .initial = "on",
        .help = "A process with several threads gets one more, which returns memory; off: it is "
                "returned "
                "by calls of malloc and free only.",
        .set = set_purger,
    },
    {
        .name = "limit",
        .kind = HP_OPTION_SIZE,
        .least = 0,
        .most = MOST_BYTES,
        .choices = limit_words,
        .initial = "0",
        .help =
            "No more memory than this is mapped, records included; requests fail with ENOMEM when "
            "nothing can be returned any more. 0: no limit; auto: no ceiling, but a soft limit "
            "from the control group's memory.high and memory.max, and free memory goes back while "
            "the group is short of memory.",
        .set = set_limit,
    },
    {
        .name = "soft_limit",
        .kind = HP_OPTION_SIZE,
        .least = 0,
        .most = MOST_BYTES,
        .initial = "0",
        .help =
            "While more memory than this is resident, free memory goes back without waiting for "
            "decay_ms, also where that is -1. 0: no limit.",
        .set = set_soft_limit,
    },
    {
        .name = "thp",
        .kind = HP_OPTION_CHOICE,
        .choices = thp_words,
        .initial = "default",
        .help =
            "Whether the kernel may use transparent huge pages for user memory; default: as the "
            "system is set up.",
        .set = set_thp,
    },
    {
        .name = "dump",
        .kind = HP_OPTION_CHOICE,
        .choices = dump_words,
        .initial = "all",
        .help =
            "all: core files have free memory too; live: free ranges of 256 KiB or more are left "
            "out, at the cost of a system call whenever one becomes free or is used again.",
        .set = set_dump,
    },
    {
        .name = "help",
        .kind = HP_OPTION_WORD,
        .help = "Prints this list on stderr when the process starts.",
        .set = show,
    },
    {.name = NULL},
};
