#include "rss/gauge.h"

#include "support/pages.h"
#include "support/result.h"
#include "support/team.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_BYTES = 4096, NAME_BYTES = 32, PAGE_BYTES = 4096, MS = 1000 };

static _Atomic size_t *live_bytes;
static double opened_at;

void gauge_open(void)
{
    opened_at = bench_now();
    const char *number = getenv("WATCH_PAGE");
    if (number == NULL) {
        live_bytes = bench_pages(PAGE_BYTES);
        return;
    }
    int file = (int)strtol(number, NULL, 10);
    void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) {
        bench_fail("the page of the observer cannot be mapped");
    }
    close(file);
    live_bytes = page;
}

void gauge_live_add(size_t bytes)
{
    /* relaxed: a sum that is looked at now and then */
    atomic_fetch_add_explicit(live_bytes, bytes, memory_order_relaxed);
}

void gauge_live_take(size_t bytes)
{
    /* relaxed: as above */
    atomic_fetch_sub_explicit(live_bytes, bytes, memory_order_relaxed);
}

static int open_own(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        bench_fail("a file of /proc/self cannot be read");
    }
    return file;
}

static size_t number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at == NULL ? 0 : strtoul(at + strlen(key), NULL, 10);
}

static unsigned count_maps(void)
{
    char text[TEXT_BYTES];
    int file = open_own("/proc/self/maps");
    unsigned lines = 0;
    for (ssize_t length; (length = read(file, text, sizeof text)) > 0;) {
        for (ssize_t i = 0; i < length; i++) {
            lines += text[i] == '\n';
        }
    }
    close(file);
    return lines;
}

double gauge_now_ms(void)
{
    return (bench_now() - opened_at) * MS;
}

void gauge_point(const char *name)
{
    double ms = gauge_now_ms();
    /* relaxed: as above */
    size_t live = atomic_load_explicit(live_bytes, memory_order_relaxed);
    char text[TEXT_BYTES];
    /* Counted page by page, where statm may be off by some hundred KiB. */
    int file = open_own("/proc/self/smaps_rollup");
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    size_t rss_kib = number_after(text, "\nRss:");
    size_t dirty_kib = number_after(text, "\nPrivate_Dirty:");
    int written = snprintf(text, sizeof text,
                           "point=%s ms=%.0f rss_kib=%zu live_kib=%zu dirty_kib=%zu maps=%u\n",
                           name, ms, rss_kib, live >> 10, dirty_kib, count_maps());
    if (write(STDOUT_FILENO, text, (size_t)written) != written) {
        bench_fail("a point could not be written");
    }
}

void gauge_numbered_point(const char *name, unsigned number)
{
    char numbered[NAME_BYTES];
    snprintf(numbered, sizeof numbered, "%s%u", name, number);
    gauge_point(numbered);
}

void gauge_wait_until(double ms)
{
    double until = opened_at + ms / MS;
    struct timespec time = {.tv_sec = (time_t)until};
    time.tv_nsec = (long)((until - (double)time.tv_sec) * 1e9);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
    }
}

void gauge_idle(unsigned ms)
{
    gauge_wait_until(gauge_now_ms() + ms);
}
