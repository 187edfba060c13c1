/* large_blocks decays|trims|forks BYTES: a thread fills memory with blocks of 8 to 256 KiB, frees them, and stays.
   What waits for the next block of its size goes back by the clock, by malloc_trim, and in a forked child. */
#include <sys/wait.h>
#include <time.h>

#include "scene.h"

enum { FILLED_BYTES = 48 * MIB, MOST_BLOCKS = FILLED_BYTES / 8192, DECAY_MS = 1000 };

static void *blocks[MOST_BLOCKS];
static size_t block_bytes;
static pthread_barrier_t done;

static void fill_and_free(void)
{
    size_t count = FILLED_BYTES / block_bytes;
    for (size_t index = 0; index < count; index++) {
        blocks[index] = parcel_new(block_bytes);
    }
    for (size_t index = 0; index < count; index++) {
        parcel_free(blocks[index], block_bytes);
    }
}

__attribute__((noreturn)) static void *fill_and_stay(void *argument)
{
    fill_and_free();
    pthread_barrier_wait(argument);
    for (;;) {
        pause();
    }
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void falls_by_the_clock(size_t base_kib)
{
    const struct timespec step = {.tv_nsec = 20000000};
    double begin_ms = now_ms();
    while (resident_kib() > base_kib + 4 * KIB) {
        if (now_ms() - begin_ms > 3 * DECAY_MS) {
            fail("%zu KiB are left after %d ms, %zu before", resident_kib(), 3 * DECAY_MS,
                 base_kib);
        }
        nanosleep(&step, NULL);
    }
}

static void falls_by_trim(size_t base_kib)
{
    expect(malloc_trim(0) == 1, "malloc_trim says that it returned memory");
    if (resident_kib() > base_kib + 4 * KIB) {
        fail("%zu KiB are left after malloc_trim, %zu before", resident_kib(), base_kib);
    }
}

/* The child's own blocks are those that waited for the thread that it does not have. */
static void falls_in_a_child(size_t base_kib)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(30);
        fill_and_free();
        falls_by_trim(base_kib);
        exit(0);
    }
    int status = 0;
    expect(waitpid(child, &status, 0) == child && status == 0, "the child ended well");
}

int main(int count, char **arguments)
{
    expect(count == 3, "usage: large_blocks decays|trims|forks BYTES");
    block_bytes = strtoul(arguments[2], NULL, 10);
    size_t base_kib = resident_kib();
    pthread_barrier_init(&done, NULL, 2);
    start_thread(fill_and_stay, &done);
    pthread_barrier_wait(&done);
    if (strcmp(arguments[1], "decays") == 0) {
        falls_by_the_clock(base_kib);
    } else if (strcmp(arguments[1], "trims") == 0) {
        falls_by_trim(base_kib);
    } else {
        falls_in_a_child(base_kib);
    }
    return 0;
}
