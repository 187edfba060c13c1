#include "sampler.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

enum {
    LINE_BYTES = 256,
    STATUS_BYTES = 8192,
    TERMINAL_INTERVAL_SAMPLES = 4,
    LOG_INTERVAL_SAMPLES = 20,
    RATE_WINDOW_SAMPLES = 20,
};

typedef struct sample {
    uint64_t time_ms;
    const char *phase;
    uint64_t rss_kib;
    uint64_t live_kib;
    uint64_t messages;
} sample;

static sampler_plan plan_now;
static pthread_t thread;
static int statm_file;
static int csv_file = -1;
static bool on_terminal;
static uint64_t page_kib;
static _Atomic(const char *) phase_now;
static atomic_bool stopping;

static void write_text(int file, const char *text, int length)
{
    if (length > 0 && write(file, text, (size_t)length) != length) {
        /* A full disk or a closed terminal must not end the run: the result line still comes. */
        return;
    }
}

/* The second number of statm is the resident set in pages. */
static uint64_t read_rss_kib(void)
{
    char text[LINE_BYTES];
    ssize_t length = pread(statm_file, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    const char *second = strchr(text, ' ');
    return second == NULL ? 0 : strtoull(second, NULL, 10) * page_kib;
}

static sample take_sample(void)
{
    return (sample){
        .time_ms = (clock_now_ns() - plan_now.begin_ns) / NS_PER_MS,
        /* acquire: pairs with the release in sampler_set_phase() */
        .phase = atomic_load_explicit(&phase_now, memory_order_acquire),
        .rss_kib = read_rss_kib(),
        .live_kib = workers_live_bytes(plan_now.workers, plan_now.worker_count) >> 10,
        .messages = workers_messages(plan_now.workers, plan_now.worker_count),
    };
}

static void write_row(const sample *row)
{
    char text[LINE_BYTES];
    int length = snprintf(text, sizeof text, "%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                          row->time_ms, row->phase, row->rss_kib, row->live_kib, row->messages);
    write_text(csv_file, text, length);
}

static void show(const sample *now, const sample *earlier)
{
    uint64_t elapsed_ms = now->time_ms - earlier->time_ms;
    uint64_t rate = elapsed_ms > 0 ? (now->messages - earlier->messages) * 1000 / elapsed_ms : 0;
    char text[LINE_BYTES];
    int length = snprintf(text, sizeof text,
                          "%s%-14s %3" PRIu64 ".%" PRIu64 " s  %-8s %9" PRIu64
                          " messages/s   live %4" PRIu64 " MiB   RSS %4" PRIu64 " MiB%s",
                          on_terminal ? "\r" : "", plan_now.label, now->time_ms / 1000,
                          now->time_ms / 100 % 10, now->phase, rate, now->live_kib >> 10,
                          now->rss_kib >> 10, on_terminal ? "\033[K" : "\n");
    write_text(STDERR_FILENO, text, length);
}

static void *run(void *unused)
{
    (void)unused;
    sample recent[RATE_WINDOW_SAMPLES] = {0};
    unsigned interval = on_terminal ? TERMINAL_INTERVAL_SAMPLES : LOG_INTERVAL_SAMPLES;
    uint64_t next_ns = plan_now.begin_ns;
    /* relaxed: only says that it is time to end; the join orders the rest */
    for (unsigned n = 0; !atomic_load_explicit(&stopping, memory_order_relaxed); n++) {
        sample now = take_sample();
        write_row(&now);
        if (n > 0 && n % interval == 0) {
            show(&now, &recent[n < RATE_WINDOW_SAMPLES ? 0 : n % RATE_WINDOW_SAMPLES]);
        }
        recent[n % RATE_WINDOW_SAMPLES] = now;
        next_ns += SAMPLER_INTERVAL_MS * (uint64_t)NS_PER_MS;
        clock_wait_until_ns(next_ns);
    }
    return NULL;
}

static int open_or_exit(const char *path, int flags)
{
    int file = open(path, flags | O_CLOEXEC, 0666);
    if (file < 0) {
        perror(path);
        exit(1);
    }
    return file;
}

void sampler_start(const sampler_plan *plan)
{
    plan_now = *plan;
    page_kib = (uint64_t)sysconf(_SC_PAGESIZE) >> 10;
    sampler_set_phase(plan->first_phase);
    on_terminal = isatty(STDERR_FILENO) == 1;
    statm_file = open_or_exit("/proc/self/statm", O_RDONLY);
    csv_file = open_or_exit(plan->csv_path != NULL ? plan->csv_path : "/dev/null",
                            O_WRONLY | O_CREAT | O_TRUNC);
    char text[4 * LINE_BYTES];
    write_text(csv_file, text, snprintf(text, sizeof text, "# %s\n", plan->first_line));
    write_text(csv_file, text,
               snprintf(text, sizeof text, "time_ms,phase,rss_kib,live_kib,messages\n"));
    if (pthread_create(&thread, NULL, run, NULL) != 0) {
        fprintf(stderr, "pipeline: cannot start the sampler\n");
        exit(1);
    }
}

void sampler_set_phase(const char *name)
{
    /* release: pairs with the acquire in take_sample() */
    atomic_store_explicit(&phase_now, name, memory_order_release);
}

void sampler_stop(void)
{
    /* relaxed: the join that follows orders the rest */
    atomic_store_explicit(&stopping, true, memory_order_relaxed);
    pthread_join(thread, NULL);
    if (on_terminal) {
        write_text(STDERR_FILENO, "\n", 1);
    }
    close(csv_file);
    close(statm_file);
}

static uint64_t number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at == NULL ? 0 : strtoull(at + strlen(key), NULL, 10);
}

process_status process_status_read(void)
{
    char text[STATUS_BYTES];
    int file = open_or_exit("/proc/self/status", O_RDONLY);
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    return (process_status){
        .rss_kib = number_after(text, "VmRSS:"),
        .peak_rss_kib = number_after(text, "VmHWM:"),
        .threads = number_after(text, "Threads:"),
    };
}
