/*
 * Large blocks: what they cost and how much memory they hold. One line: ns per operation, peak RSS in MiB.
 *
 *   large pair BYTES COUNT                            malloc and free in pairs, first page written
 *   large live THREADS LIVE_MIB LEAST MOST COUNT      each thread keeps its share of blocks of LEAST to MOST
 *                                                     bytes and replaces one at random, COUNT times
 *   large grow LEAST MOST STEP_PERCENT COUNT          a vector grows by realloc from LEAST to MOST, COUNT times
 *   large grow2 ...                                   the same, two vectors by turns
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAGE_BYTES 4096u
#define MOST_THREADS 256u

static size_t least_bytes;
static size_t most_bytes;
static size_t share_bytes;
static long count;

static void *keep(void *block)
{
    __asm__ volatile("" : "+r"(block) : : "memory");
    return block;
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* VmHWM, in MiB. */
static double peak_rss_mib(void)
{
    char line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "VmHWM: %ld", &kib) == 1) {
            break;
        }
    }
    if (status != NULL) {
        fclose(status);
    }
    return (double)kib / 1024;
}

/* xorshift64 (Marsaglia, "Xorshift RNGs", 2003) */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void *checked(void *block)
{
    if (block == NULL) {
        fputs("large: out of memory\n", stderr);
        exit(1);
    }
    return block;
}

static char *touched(size_t bytes)
{
    char *block = checked(malloc(bytes));
    for (size_t byte = 0; byte < bytes; byte += PAGE_BYTES) {
        block[byte] = 1;
    }
    return block;
}

static void run_pairs(void)
{
    for (long done = 0; done < count; done++) {
        char *block = keep(malloc(least_bytes));
        *block = 1;
        free(block);
    }
}

static void *run_live(void *argument)
{
    uint64_t state = 88172645463325252u + (uintptr_t)argument * 7919;
    size_t mean_bytes = (least_bytes + most_bytes) / 2;
    size_t blocks = share_bytes / mean_bytes + 1;
    char **block = checked(calloc(blocks, sizeof *block));
    for (long done = 0; done < count; done++) {
        size_t index = next_random(&state) % blocks;
        free(block[index]);
        block[index] = touched(least_bytes + next_random(&state) % (most_bytes - least_bytes + 1));
    }
    for (size_t index = 0; index < blocks; index++) {
        free(block[index]);
    }
    free(block);
    return NULL;
}

static void run_threads(unsigned threads)
{
    pthread_t thread[MOST_THREADS];
    for (unsigned number = 0; number < threads; number++) {
        if (pthread_create(&thread[number], NULL, run_live, (void *)(uintptr_t)number) != 0) {
            exit(1);
        }
    }
    for (unsigned number = 0; number < threads; number++) {
        pthread_join(thread[number], NULL);
    }
}

/* Returns the calls of realloc. */
static long run_growth(unsigned step_percent, unsigned vectors)
{
    long calls = 0;
    for (long done = 0; done < count; done++) {
        char *vector[2] = {NULL, NULL};
        size_t written = 0;
        for (size_t bytes = least_bytes; bytes <= most_bytes; bytes += bytes * step_percent / 100) {
            for (unsigned number = 0; number < vectors; number++, calls++) {
                vector[number] = checked(realloc(vector[number], bytes));
                for (size_t byte = written; byte < bytes; byte += PAGE_BYTES) {
                    vector[number][byte] = 1;
                }
            }
            written = bytes;
        }
        free(vector[0]);
        free(vector[1]);
    }
    return calls;
}

int main(int arguments, char **argument)
{
    const char *mode = arguments > 1 ? argument[1] : "";
    size_t number[8] = {0};
    for (int index = 2; index < arguments && index < 10; index++) {
        number[index - 2] = strtoull(argument[index], NULL, 0);
    }
    double start_ns = now_ns();
    double operations;
    if (strcmp(mode, "pair") == 0 && arguments == 4) {
        least_bytes = number[0];
        count = (long)number[1];
        run_pairs();
        operations = (double)count;
    } else if (strcmp(mode, "live") == 0 && arguments == 7 && number[0] <= MOST_THREADS) {
        share_bytes = (number[1] << 20) / number[0];
        least_bytes = number[2];
        most_bytes = number[3];
        count = (long)number[4];
        run_threads((unsigned)number[0]);
        operations = (double)count * (double)number[0];
    } else if (strncmp(mode, "grow", 4) == 0 && arguments == 6) {
        least_bytes = number[0];
        most_bytes = number[1];
        count = (long)number[3];
        operations = (double)run_growth((unsigned)number[2], mode[4] == '2' ? 2 : 1);
    } else {
        fputs("usage: see the head of bench/large/large.c\n", stderr);
        return 2;
    }
    printf("%.1f %.1f\n", (now_ns() - start_ns) / operations, peak_rss_mib());
    return 0;
}
