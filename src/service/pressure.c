#include "service/pressure.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "platform/cgroup.h"
#include "platform/system.h"

#define READ_EACH_MS 1000u
#define MOST_LEVELS 32u
#define HEADROOM_PART 8u
/* Of a millisecond, so many microseconds: a hundredth. */
#define HIGH_STALL_US_PER_MS 10u

static _Atomic bool followed; /* shared: relaxed, set from the options */

/* Of whoever has the purger's role. */
static uint64_t read_at_ms;
static uint64_t allowed_bytes = UINT64_MAX;
static uint64_t stalled_us;
static bool has_read;
static bool is_high;

/* "TOTAL RESIDENT SHARED ...", in pages. */
uint64_t hp_pressure_resident_bytes(void)
{
    char text[128];
    uint64_t pages[3] = {0};
    int saved_errno = errno;
    const char *place = hp_read_file("/proc/self/statm", text, sizeof text) ? text : NULL;
    errno = saved_errno;
    for (unsigned field = 0; field < 3 && place != NULL; field++) {
        const char *end = hp_parse_number(place, &pages[field]);
        place = end != place && *end == ' ' ? end + 1 : NULL;
    }
    if (place == NULL) {
        return UINT64_MAX;
    }
    return (pages[1] > pages[2] ? pages[1] - pages[2] : 0) * hp_page_bytes();
}

void hp_pressure_follow(bool wanted)
{
    /* relaxed: a choice, nothing depends on its order */
    atomic_store_explicit(&followed, wanted, memory_order_relaxed);
}

bool hp_pressure_is_followed(void)
{
    /* relaxed: as above */
    return atomic_load_explicit(&followed, memory_order_relaxed);
}

static uint64_t lesser(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

/* UINT64_MAX for "max", and where there is no such file. */
static hp_cgroup_answer read_bytes(const char *name, unsigned level, uint64_t *bytes)
{
    char text[64];
    *bytes = UINT64_MAX;
    hp_cgroup_answer answer = hp_cgroup_read(name, level, text, sizeof text);
    if (answer == HP_CGROUP_READ && text[0] >= '0' && text[0] <= '9') {
        hp_parse_number(text, bytes);
    }
    return answer;
}

/* The least of the group and all above it. */
static uint64_t read_allowed_bytes(void)
{
    uint64_t allowed = UINT64_MAX;
    for (unsigned level = 0; level < MOST_LEVELS; level++) {
        uint64_t high;
        uint64_t most;
        if (read_bytes("/memory.high", level, &high) == HP_CGROUP_NONE) {
            break;
        }
        read_bytes("/memory.max", level, &most);
        allowed =
            lesser(allowed, lesser(high, most - (most == UINT64_MAX ? 0 : most / HEADROOM_PART)));
    }
    return allowed;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=MICROSECONDS": the total; false when there is none. */
static bool read_stalled_us(uint64_t *microseconds)
{
    static const char key[] = "total=";
    char text[256];
    if (hp_cgroup_read("/memory.pressure", 0, text, sizeof text) != HP_CGROUP_READ &&
        !hp_read_file("/proc/pressure/memory", text, sizeof text)) {
        return false;
    }
    size_t matched = 0;
    for (const char *place = text; *place != '\0'; place++) {
        matched = *place == key[matched] ? matched + 1 : *place == key[0] ? 1 : 0;
        if (matched == sizeof key - 1) {
            return hp_parse_number(place + 1, microseconds) != place + 1;
        }
    }
    return false;
}

void hp_pressure_read(uint64_t now_ms)
{
    uint64_t passed_ms = now_ms - read_at_ms;
    if (has_read && passed_ms < READ_EACH_MS) {
        return;
    }
    int saved_errno = errno;
    uint64_t stalled = stalled_us;
    bool known = read_stalled_us(&stalled);
    /* It begins anew when the process comes to another group. */
    is_high = known && has_read && stalled > stalled_us &&
              stalled - stalled_us > passed_ms * HIGH_STALL_US_PER_MS;
    stalled_us = stalled;
    allowed_bytes = read_allowed_bytes();
    read_at_ms = now_ms;
    has_read = true;
    errno = saved_errno;
}

uint64_t hp_pressure_allowed_bytes(void)
{
    return allowed_bytes;
}

bool hp_pressure_is_high(void)
{
    return is_high;
}
