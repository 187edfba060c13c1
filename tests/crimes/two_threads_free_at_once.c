/* Two threads free the same block at the same moment, thousands of times. Each time one of them is told,
   however close the race was, and no block is handed out twice afterwards. (A cached block that was freed
   by its owner's cache is found out late, and may be handed out again before that.) */
/* expect: free(): double free of {any} */
/* late: 24 */
/* late: 1040 */
/* late: 5000 */
/* each: 9000 */
/* each: 100000 */
/* each: 1000000 */
/* each: 20971520 */
/* lines: 4990 */
#include <sched.h>
#include <stdatomic.h>

#include "crime.h"

enum { ROUNDS = 5000, CACHED_BYTES = 8192, AFTERWARDS = 16 };

static _Atomic unsigned turn;
static void *volatile block;

static void wait_for(unsigned wanted)
{
    while (atomic_load_explicit(&turn, memory_order_acquire) != wanted) {
        sched_yield();
    }
}

static void next_turn(void)
{
    atomic_fetch_add_explicit(&turn, 1, memory_order_acq_rel);
}

static void *free_in_step(void *unused)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        wait_for(2 * round + 1);
        free(hidden(block));
        next_turn();
    }
    return unused;
}

static bool all_differ(size_t bytes)
{
    void *blocks[AFTERWARDS];
    for (unsigned index = 0; index < AFTERWARDS; index++) {
        blocks[index] = malloc(bytes);
        for (unsigned before = 0; before < index; before++) {
            if (blocks[before] == blocks[index]) {
                return false;
            }
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    size_t bytes = crime_number(argv[argc - 1]);
    pthread_t thread;
    if (pthread_create(&thread, NULL, free_in_step, NULL) != 0) {
        return 3;
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        block = malloc(bytes);
        next_turn();
        free(hidden(block));
        wait_for(2 * round + 2);
    }
    pthread_join(thread, NULL);
    crime_returned();
    return bytes <= CACHED_BYTES || all_differ(bytes) ? 0 : 3;
}
