/*
 * What programs ask an allocator about itself, and what they tell it: to trim, and a limit.
 *
 * All figures come from one reading by the statistics service; see there what can be told without
 * stopping anybody. Nothing is claimed while a line is written, so that stdio may allocate.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "front/reclaim.h"
#include "hepta/hepta.h"
#include "platform/export.h"
#include "platform/limit.h"
#include "platform/report.h"
#include "service/statistics.h"

/* ---- mallinfo ---- */

static uint64_t count_free_slots(const hp_statistics *statistics)
{
    uint64_t count = 0;
    for (unsigned size_class = 0; size_class < HP_DEPOT_CLASSES; size_class++) {
        count += statistics->classes[size_class].free_slots;
    }
    return count;
}

static uint64_t count_depot_chunks(const hp_statistics *statistics)
{
    uint64_t count = 0;
    for (unsigned size_class = 0; size_class < HP_DEPOT_CLASSES; size_class++) {
        count += statistics->classes[size_class].depot_chunks;
    }
    return count;
}

/* As in glibc: arena is what is not huge, and arena = uordblks + fordblks. */
HP_EXPORT struct mallinfo2 hepta_mallinfo2(void)
{
    hp_statistics statistics;
    hp_statistics_read(&statistics);
    return (struct mallinfo2){
        .arena = statistics.region_bytes,
        .ordblks = count_free_slots(&statistics),
        .smblks = count_depot_chunks(&statistics),
        .hblks = statistics.huge_mappings,
        .hblkhd = statistics.huge_bytes,
        .fsmblks = statistics.depot_bytes + statistics.inbox_bytes,
        .uordblks = statistics.region_used_bytes,
        .fordblks = statistics.region_bytes - statistics.region_used_bytes,
        .keepcost = statistics.region_free_bytes,
    };
}

/* The old interface has room for 2 GiB: what is more is shown as that, and not as what is left of it. */
static int as_int(size_t number)
{
    return number > INT_MAX ? INT_MAX : (int)number;
}

HP_EXPORT struct mallinfo hepta_mallinfo(void)
{
    struct mallinfo2 info = hepta_mallinfo2();
    return (struct mallinfo){
        .arena = as_int(info.arena),
        .ordblks = as_int(info.ordblks),
        .smblks = as_int(info.smblks),
        .hblks = as_int(info.hblks),
        .hblkhd = as_int(info.hblkhd),
        .fsmblks = as_int(info.fsmblks),
        .uordblks = as_int(info.uordblks),
        .fordblks = as_int(info.fordblks),
        .keepcost = as_int(info.keepcost),
    };
}

/* ---- malloc_stats ---- */

static const struct {
    const char *label;
    size_t offset;
} figures[] = {
    {"mapped bytes", offsetof(hp_statistics, mapped_bytes)},
    {"in use bytes", offsetof(hp_statistics, in_use_bytes)},
    {"metadata bytes", offsetof(hp_statistics, metadata_bytes)},
    {"regions", offsetof(hp_statistics, regions)},
    {"region bytes", offsetof(hp_statistics, region_bytes)},
    {"free page bytes", offsetof(hp_statistics, region_free_bytes)},
    {"slab bytes", offsetof(hp_statistics, slab_bytes)},
    {"free slab bytes", offsetof(hp_statistics, slab_free_bytes)},
    {"depot bytes", offsetof(hp_statistics, depot_bytes)},
    {"inbox bytes", offsetof(hp_statistics, inbox_bytes)},
    {"huge mappings", offsetof(hp_statistics, huge_mappings)},
    {"huge bytes", offsetof(hp_statistics, huge_bytes)},
    {"huge kept bytes", offsetof(hp_statistics, huge_kept_bytes)},
    {"owners", offsetof(hp_statistics, owners)},
    {"busy owners", offsetof(hp_statistics, owners_busy)},
    {"threads", offsetof(hp_statistics, threads)},
    {"thread caches", offsetof(hp_statistics, thread_caches)},
};

#define LABEL_COLUMNS 17u
#define NUMBER_COLUMNS 14u

static void append_blanks(hp_message *message, size_t until_length)
{
    while (message->length < until_length) {
        hp_message_text(message, " ");
    }
}

/* Right-aligned in a column. */
static void append_number(hp_message *message, uint64_t number)
{
    size_t digits = 1;
    for (uint64_t left = number; left >= 10; left /= 10) {
        digits++;
    }
    size_t blanks = digits < NUMBER_COLUMNS ? NUMBER_COLUMNS - digits : 1;
    append_blanks(message, message->length + blanks);
    hp_message_decimal(message, number);
}

static void send_figure(const char *label, uint64_t number)
{
    hp_message message;
    hp_message_begin(&message);
    size_t start = message.length;
    hp_message_text(&message, label);
    append_blanks(&message, start + LABEL_COLUMNS);
    hp_message_text(&message, "=");
    append_number(&message, number);
    hp_message_send(&message);
}

static void send_class(uint64_t slot_bytes, const hp_class_statistics *row)
{
    hp_message message;
    hp_message_begin(&message);
    append_number(&message, slot_bytes);
    append_number(&message, row->slabs);
    append_number(&message, row->slots);
    append_number(&message, row->free_slots);
    append_number(&message, row->depot_chunks);
    hp_message_send(&message);
}

HP_EXPORT void hepta_malloc_stats(void)
{
    hp_statistics statistics;
    hp_statistics_read(&statistics);
    send_figure("process", (uint64_t)getpid());
    for (size_t row = 0; row < sizeof figures / sizeof *figures; row++) {
        const char *field = (const char *)&statistics + figures[row].offset;
        send_figure(figures[row].label, *(const uint64_t *)(const void *)field);
    }
    hp_message message;
    hp_message_begin(&message);
    hp_message_text(&message,
                    "    slot bytes         slabs         slots    free slots   depot slots");
    hp_message_send(&message);
    for (unsigned size_class = 0; size_class < HP_DEPOT_CLASSES; size_class++) {
        const hp_class_statistics *row = &statistics.classes[size_class];
        if (row->slabs > 0 || row->depot_chunks > 0) {
            send_class(hp_class_bytes(size_class), row);
        }
    }
}

__attribute__((destructor)) static void report_at_exit(void)
{
    if (hp_statistics_at_exit()) {
        hepta_malloc_stats();
    }
}

/* ---- malloc_info ---- */

static void print_sizes(const hp_statistics *statistics, FILE *stream)
{
    fputs("<sizes>\n", stream);
    for (unsigned size_class = 0; size_class < HP_DEPOT_CLASSES; size_class++) {
        const hp_class_statistics *row = &statistics->classes[size_class];
        size_t least = size_class == 0 ? 1 : hp_class_bytes(size_class - 1) + 1;
        size_t most = hp_class_bytes(size_class);
        if (row->free_slots > 0) {
            fprintf(stream,
                    "  <size from=\"%zu\" to=\"%zu\" total=\"%" PRIu64 "\" count=\"%" PRIu64
                    "\"/>\n",
                    least, most, row->free_slots * most, row->free_slots);
        }
    }
    fputs("</sizes>\n", stream);
}

static void print_total(const char *type, uint64_t count, uint64_t bytes, FILE *stream)
{
    fprintf(stream, "<total type=\"%s\" count=\"%" PRIu64 "\" size=\"%" PRIu64 "\"/>\n", type,
            count, bytes);
}

static void print_bytes(const char *element, const char *type, uint64_t bytes, FILE *stream)
{
    fprintf(stream, "<%s type=\"%s\" size=\"%" PRIu64 "\"/>\n", element, type, bytes);
}

/* What a heap has in glibc's report: there is one, the regions. */
static void print_heap(const hp_statistics *statistics, FILE *stream)
{
    print_total("fast", count_depot_chunks(statistics), statistics->depot_bytes, stream);
    print_total("rest", count_free_slots(statistics),
                statistics->slab_free_bytes + statistics->region_free_bytes, stream);
}

static void print_system(uint64_t bytes, FILE *stream)
{
    print_bytes("system", "current", bytes, stream);
    print_bytes("system", "max", bytes, stream);
    print_bytes("aspace", "total", bytes, stream);
    print_bytes("aspace", "mprotect", bytes, stream);
}

/* What glibc has no word for. */
static void print_own(const hp_statistics *statistics, FILE *stream)
{
    fprintf(stream,
            "<hepta in_use=\"%" PRIu64 "\" metadata=\"%" PRIu64 "\" regions=\"%" PRIu64
            "\" owners=\"%" PRIu64 "\" busy_owners=\"%" PRIu64 "\" threads=\"%" PRIu64 "\">\n",
            statistics->in_use_bytes, statistics->metadata_bytes, statistics->regions,
            statistics->owners, statistics->owners_busy, statistics->threads);
    for (unsigned size_class = 0; size_class < HP_DEPOT_CLASSES; size_class++) {
        const hp_class_statistics *row = &statistics->classes[size_class];
        if (row->slabs > 0 || row->depot_chunks > 0) {
            fprintf(stream,
                    "  <class size=\"%zu\" slabs=\"%" PRIu64 "\" slots=\"%" PRIu64
                    "\" free=\"%" PRIu64 "\" depot=\"%" PRIu64 "\"/>\n",
                    hp_class_bytes(size_class), row->slabs, row->slots, row->free_slots,
                    row->depot_chunks);
        }
    }
    fputs("</hepta>\n", stream);
}

HP_EXPORT int hepta_malloc_info(int options, FILE *stream)
{
    if (options != 0) {
        return EINVAL;
    }
    hp_statistics statistics;
    hp_statistics_read(&statistics);
    fputs("<malloc version=\"1\">\n<heap nr=\"0\">\n", stream);
    print_sizes(&statistics, stream);
    print_heap(&statistics, stream);
    print_system(statistics.region_bytes, stream);
    fputs("</heap>\n", stream);
    print_heap(&statistics, stream);
    print_total("mmap", statistics.huge_mappings, statistics.huge_bytes, stream);
    print_system(statistics.region_bytes, stream);
    print_own(&statistics, stream);
    fputs("</malloc>\n", stream);
    return 0;
}

/* ---- mallopt, malloc_trim, the limit ---- */

/* The one bound that glibc 2.36 sets; a negative value counts as a very large one, as there. */
#define MXFAST_MAX_BYTES (80 * sizeof(size_t) / 4)

HP_EXPORT int hepta_mallopt(int parameter, int value)
{
    /* glibc takes whatever it does not know, too. */
    return parameter != M_MXFAST || (size_t)value <= MXFAST_MAX_BYTES;
}

HP_EXPORT int hepta_malloc_trim(size_t pad_bytes)
{
    (void)pad_bytes;
    return hp_reclaim() > 0;
}

HP_EXPORT size_t hepta_set_limit(size_t bytes)
{
    uint64_t before = hp_limit_ceiling();
    hp_limit_set_ceiling(bytes == 0 ? HP_NO_LIMIT : bytes);
    return before == HP_NO_LIMIT ? 0 : (size_t)before;
}

HP_STANDARD_NAME(struct mallinfo, mallinfo, (void), hepta_mallinfo);
HP_STANDARD_NAME(struct mallinfo2, mallinfo2, (void), hepta_mallinfo2);
HP_STANDARD_NAME(void, malloc_stats, (void), hepta_malloc_stats);
HP_STANDARD_NAME(int, malloc_info, (int, FILE *), hepta_malloc_info);
HP_STANDARD_NAME(int, mallopt, (int, int), hepta_mallopt);
HP_STANDARD_NAME(int, malloc_trim, (size_t), hepta_malloc_trim);
