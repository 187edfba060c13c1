/*
 * limits: what no allocator can be faster than, or what it is measured in.
 *
 *   what=bump       a pointer moved on by a random size, 16 to 1,024 bytes, and both ends of the block
 *                   written: an allocator without free
 *   what=memset     blocks of least=16 to most=1,024 bytes set to zero, bytes=1 GiB in all: calloc without
 *                   an allocator
 *   what=handover   a cache line that goes from one core to another and back: two hand-overs
 *   what=fault      the first write into a page of 4 KiB
 *   what=huge-fault the first write into a page of 2 MiB
 *   what=syscall    the shortest call of the kernel
 *   scale=1.0
 *
 * operations= counts blocks, hand-overs, faults, calls.
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/pages.h"
#include "support/random.h"
#include "support/ring.h"
#include "support/team.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PAGE_BYTES = 4096,
    HUGE_BYTES = 2 << 20,
    BUFFER_BYTES = 64 << 10,
    LEAST_BYTES = 16,
    MOST_BYTES = 1024,
};

static int bump(int argc, char **argv)
{
    uint64_t count = bench_argument_scaled(argc, argv, 100000000);
    bench_random random = bench_random_seeded(0);
    unsigned char *buffer = bench_pages(BUFFER_BYTES);
    unsigned char *end = buffer + BUFFER_BYTES - MOST_BYTES;
    unsigned char *next = buffer;
    double begin = bench_now();
    for (uint64_t i = 0; i < count; i++) {
        size_t bytes = bench_random_between(&random, LEAST_BYTES, MOST_BYTES);
        unsigned char *block = bench_keep(next);
        block[0] = (unsigned char)i;
        block[bytes - 1] = (unsigned char)i;
        next += (bytes + 15) & ~(size_t)15;
        next = next < end ? next : buffer;
    }
    return bench_result(bench_now() - begin, count);
}

static int set(int argc, char **argv)
{
    size_t least = bench_argument_within(argc, argv, "least", LEAST_BYTES, 8, 1 << 30);
    size_t most = bench_argument_within(argc, argv, "most", MOST_BYTES, 2 * least, 1 << 30);
    uint64_t bytes =
        bench_argument_scaled(argc, argv, (uint64_t)bench_argument(argc, argv, "bytes", 1 << 30));
    bench_random random = bench_random_seeded(0);
    unsigned char *buffer = bench_pages(most);
    uint64_t count = 0;
    memset(buffer, 1, most);
    double begin = bench_now();
    for (uint64_t done = 0; done < bytes; count++) {
        size_t block_bytes = bench_random_inverse(&random, least, most);
        memset(bench_keep(buffer), 0, block_bytes);
        done += block_bytes;
    }
    return bench_result(bench_now() - begin, count);
}

/* ---- two cores --------------------------------------------------------------------------------------- */

typedef struct line {
    _Alignas(128) _Atomic uint64_t turn; /* even: it is the first one's */
    uint64_t turns;
} line;

/* Where there is one processor only the system decides, and what is measured is its change of threads. */
static void stay_on(unsigned processor)
{
    cpu_set_t processors;
    CPU_ZERO(&processors);
    CPU_SET(processor, &processors);
    sched_setaffinity(0, sizeof processors, &processors);
}

static void hand_over(unsigned member, void *context)
{
    line *self = context;
    stay_on(member);
    for (uint64_t turn = member; turn < self->turns; turn += 2) {
        unsigned tries = 0;
        while (atomic_load_explicit(&self->turn, memory_order_acquire) != turn) {
            bench_ring_wait(tries++);
        }
        atomic_store_explicit(&self->turn, turn + 1, memory_order_release);
    }
}

static int handover(int argc, char **argv)
{
    line shared = {.turns = bench_argument_scaled(argc, argv, 4000000)};
    double seconds = bench_team_run(2, hand_over, &shared);
    return bench_result(seconds, shared.turns);
}

/* ---- the kernel ---------------------------------------------------------------------------------------- */

static long faults_so_far(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

static double touch(uint64_t count, size_t page_bytes, int advice)
{
    size_t bytes = count * page_bytes;
    unsigned char *pages = bench_pages(bytes + page_bytes);
    unsigned char *first = pages + -(uintptr_t)pages % page_bytes;
    madvise(first, bytes, advice);
    long faults = faults_so_far();
    double begin = bench_now();
    for (size_t at = 0; at < bytes; at += page_bytes) {
        first[at] = 1;
    }
    double seconds = bench_now() - begin;
    faults = faults_so_far() - faults;
    if (faults < (long)count - 1 || faults > (long)(count + count / 10 + 8)) {
        bench_fail("the system does not give out pages of this size one by one");
    }
    bench_pages_free(pages, bytes + page_bytes);
    return seconds;
}

/* Once before the time is taken: a virtual machine's host may have to find the memory first. */
static int touch_twice(uint64_t count, size_t page_bytes, int advice)
{
    touch(count, page_bytes, advice);
    return bench_result(touch(count, page_bytes, advice), count);
}

static int fault(int argc, char **argv)
{
    return touch_twice(bench_argument_scaled(argc, argv, 100000), PAGE_BYTES, MADV_NOHUGEPAGE);
}

static int huge_fault(int argc, char **argv)
{
    return touch_twice(bench_argument_scaled(argc, argv, 200), HUGE_BYTES, MADV_HUGEPAGE);
}

static int call(int argc, char **argv)
{
    uint64_t count = bench_argument_scaled(argc, argv, 3000000);
    double begin = bench_now();
    for (uint64_t i = 0; i < count; i++) {
        syscall(SYS_getppid);
    }
    return bench_result(bench_now() - begin, count);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *what;
        int (*run)(int argc, char **argv);
    } limits[] = {
        {"bump", bump},
        {"memset", set},
        {"handover", handover},
        {"fault", fault},
        {"huge-fault", huge_fault},
        {"syscall", call},
    };
    bench_arguments_check(argc, argv, "what scale least most bytes");
    const char *what = bench_argument_text(argc, argv, "what", "bump");
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        if (strcmp(what, limits[i].what) == 0) {
            return limits[i].run(argc, argv);
        }
    }
    bench_fail("what= is none of bump, memset, handover, fault, huge-fault, syscall");
}
