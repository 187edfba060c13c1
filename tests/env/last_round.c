/* Threads whose only calls are 200 frees in the last round of their destructors: memory must not grow. */
#include "scene.h"

enum { THREADS = 5000, BLOCKS = 200, LAST_ROUND = 4, MEASURED_AT = 1000, GROWTH_KIB = 1024 };

static pthread_key_t key;
static __thread unsigned round_number;

static void end_of_round(void *value)
{
    round_number++;
    if (round_number < LAST_ROUND) {
        pthread_setspecific(key, value);
        return;
    }
    void **blocks = value;
    for (unsigned index = 0; index < BLOCKS; index++) {
        parcel_free(blocks[index], 100 + index);
    }
}

static void *thread(void *blocks)
{
    pthread_setspecific(key, blocks);
    return NULL;
}

int main(void)
{
    static void *blocks[BLOCKS];
    size_t early_kib = 0;
    pthread_key_create(&key, end_of_round);
    for (unsigned count = 0; count < THREADS; count++) {
        for (unsigned index = 0; index < BLOCKS; index++) {
            blocks[index] = parcel_new(100 + index);
        }
        end_thread(start_thread(thread, blocks));
        if (count == MEASURED_AT) {
            early_kib = resident_kib();
        }
    }
    size_t late_kib = resident_kib();
    dprintf(STDOUT_FILENO, "%zu KiB after %d threads, %zu KiB after %d\n", early_kib, MEASURED_AT,
            late_kib, THREADS);
    expect(late_kib < early_kib + GROWTH_KIB, "memory does not grow");
    return 0;
}
