/* 10,000 threads come and go. Each frees the blocks that the one before it left, and leaves blocks of its
   own, in all size classes: memory must not grow with the number of threads that were. */
#include "scene.h"

enum { THREADS = 10000, ALIVE = 8, MEASURED_AT = 1000, BLOCKS = 40, GROWTH_KIB = 6 * KIB };

typedef struct legacy {
    void *blocks[BLOCKS];
    size_t bytes[BLOCKS];
} legacy;

static void *thread(void *argument)
{
    legacy *left = argument;
    for (unsigned index = 0; index < BLOCKS; index++) {
        if (left->blocks[index] != NULL) {
            parcel_free(left->blocks[index], left->bytes[index]);
        }
        left->bytes[index] = ((size_t)16 << index % 13) + index * index;
        left->blocks[index] = parcel_new(left->bytes[index]);
        void *passing = parcel_new(left->bytes[index] / 2);
        parcel_free(passing, left->bytes[index] / 2);
    }
    return NULL;
}

int main(void)
{
    static legacy lefts[ALIVE];
    static pthread_t threads[ALIVE];
    size_t early_kib = 0;
    for (unsigned count = 0; count < THREADS; count++) {
        unsigned place = count % ALIVE;
        if (count >= ALIVE) {
            end_thread(threads[place]);
        }
        if (count == MEASURED_AT) {
            early_kib = resident_kib();
        }
        threads[place] = start_thread(thread, &lefts[place]);
    }
    size_t late_kib = resident_kib();
    for (unsigned place = 0; place < ALIVE; place++) {
        end_thread(threads[place]);
    }
    dprintf(STDOUT_FILENO, "%zu KiB after %d threads, %zu KiB after %d\n", early_kib, MEASURED_AT,
            late_kib, THREADS);
    expect(late_kib < early_kib + GROWTH_KIB, "memory does not grow");
    return 0;
}
