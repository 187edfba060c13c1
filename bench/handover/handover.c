/*
 * One producer, one consumer: the producer allocates messages, the consumer frees them. Prints the time
 * per message in nanoseconds. handover [BYTES [MESSAGES]]; BYTES 0 draws sizes of 16 to 512.
 *
 * The messages travel through a ring in batches, so that what is measured is the allocator and not the
 * hand-over of a cache line per message.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RING_SLOTS 4096u
#define BATCH 64u

static void *ring[RING_SLOTS];
static _Alignas(64) _Atomic size_t produced;
static _Alignas(64) _Atomic size_t consumed;
static size_t message_bytes = 64;
static size_t message_count = 20000000;

static size_t next_bytes(uint64_t *state)
{
    if (message_bytes != 0) {
        return message_bytes;
    }
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return 16 + (*state >> 33) % 497;
}

static void pause_a_little(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void *consume(void *unused)
{
    for (size_t done = 0; done < message_count;) {
        size_t ready = atomic_load_explicit(&produced, memory_order_acquire);
        if (ready == done) {
            pause_a_little();
            continue;
        }
        for (; done < ready; done++) {
            free(ring[done % RING_SLOTS]);
        }
        atomic_store_explicit(&consumed, done, memory_order_release);
    }
    return unused;
}

static void produce(void)
{
    uint64_t state = 1;
    for (size_t done = 0; done < message_count;) {
        size_t free_until = atomic_load_explicit(&consumed, memory_order_acquire) + RING_SLOTS;
        size_t until = done + BATCH < message_count ? done + BATCH : message_count;
        if (until > free_until) {
            pause_a_little();
            continue;
        }
        for (; done < until; done++) {
            char *message = malloc(next_bytes(&state));
            if (message == NULL) {
                abort();
            }
            *message = (char)done;
            ring[done % RING_SLOTS] = message;
        }
        atomic_store_explicit(&produced, done, memory_order_release);
    }
}

int main(int count, char **arguments)
{
    if (count > 1) {
        message_bytes = strtoul(arguments[1], NULL, 10);
    }
    if (count > 2) {
        message_count = strtoul(arguments[2], NULL, 10);
    }
    pthread_t consumer;
    struct timespec begin;
    struct timespec end;
    if (pthread_create(&consumer, NULL, consume, NULL) != 0) {
        abort();
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    produce();
    pthread_join(consumer, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double nanoseconds =
        (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
    printf("%.2f\n", nanoseconds / (double)message_count);
    return 0;
}
