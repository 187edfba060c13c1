/* A thread's first call is the free of a block that another thread allocated; then it works on its own, and
   another thread only ever frees. Each must use what the others gave back. */
#include "scene.h"

enum { BLOCKS = 2500, ROUNDS = 200, BYTES = 1090, BOUND_KIB = 20 * KIB };

static void *blocks[BLOCKS];

static void *free_first_then_work(void *unused)
{
    free(blocks[0]);
    for (unsigned round = 0; round < ROUNDS; round++) {
        static void *own[BLOCKS];
        for (unsigned index = 0; index < BLOCKS; index++) {
            own[index] = parcel_new(BYTES);
        }
        for (unsigned index = 0; index < BLOCKS; index++) {
            parcel_free(own[index], BYTES);
        }
    }
    return unused;
}

static void *free_only(void *unused)
{
    for (unsigned index = 0; index < BLOCKS; index++) {
        parcel_free(blocks[index], BYTES);
    }
    return unused;
}

int main(void)
{
    blocks[0] = parcel_new(BYTES);
    end_thread(start_thread(free_first_then_work, NULL));
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned index = 0; index < BLOCKS; index++) {
            blocks[index] = parcel_new(BYTES);
        }
        end_thread(start_thread(free_only, NULL));
    }
    dprintf(STDOUT_FILENO, "%zu KiB\n", resident_kib());
    expect(resident_kib() < BOUND_KIB, "memory stays near the live set of 2,661 KiB");
    return 0;
}
