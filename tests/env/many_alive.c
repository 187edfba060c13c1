/* 4,096 threads are alive at once, each with blocks of its own; then all work, hand their blocks to the next
   one, and end. Prints what a thread that holds one block of 1,000 bytes costs. */
#include "scene.h"

enum { THREADS = 4096, BLOCKS = 12 };

static void *held[THREADS];
static void *blocks[THREADS][BLOCKS];
static pthread_barrier_t allocated, measured, filled;

static size_t bytes_of(unsigned index)
{
    return (size_t)20 << index;
}

static void *thread(void *argument)
{
    size_t number = (size_t)(uintptr_t)argument;
    size_t next = (number + 1) % THREADS;
    pthread_barrier_wait(&measured);
    held[number] = parcel_new(1000);
    pthread_barrier_wait(&allocated);
    pthread_barrier_wait(&measured);
    for (unsigned index = 0; index < BLOCKS; index++) {
        blocks[number][index] = parcel_new(bytes_of(index));
    }
    work(50, (unsigned)number);
    pthread_barrier_wait(&filled);
    for (unsigned index = 0; index < BLOCKS; index++) {
        parcel_free(blocks[next][index], bytes_of(index));
    }
    parcel_free(held[next], 1000);
    return NULL;
}

int main(void)
{
    static pthread_t threads[THREADS];
    pthread_barrier_init(&allocated, NULL, THREADS + 1);
    pthread_barrier_init(&measured, NULL, THREADS + 1);
    pthread_barrier_init(&filled, NULL, THREADS);
    for (uintptr_t number = 0; number < THREADS; number++) {
        threads[number] = start_thread(thread, (void *)number);
    }
    size_t before_kib = resident_kib();
    pthread_barrier_wait(&measured);
    pthread_barrier_wait(&allocated);
    size_t after_kib = resident_kib();
    size_t each = (after_kib - before_kib) * KIB / THREADS;
    pthread_barrier_wait(&measured);
    for (unsigned number = 0; number < THREADS; number++) {
        end_thread(threads[number]);
    }
    dprintf(STDOUT_FILENO, "%zu bytes for a thread with one block of 1,000\n", each);
    expect(each < 16 * KIB, "a thread costs little");
    return 0;
}
