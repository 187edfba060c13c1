/* Two threads free the same block at the same moment, again and again: whoever of them is second, and
   however close, is told. In between, all that the allocator hands out must be disjoint. */
/* expect: free(): double free of {pointer} */
/* each: 24 */
/* each: 1000 */
/* each: 5000 */
/* each: 100000 */
/* each: 20971520 */
/* late */
#include "crime.h"

enum { ROUNDS = 2000 };

static pthread_barrier_t barrier;
static void *volatile block;

static void *free_in_step(void *unused)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&barrier);
        free(hidden(block));
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

/* The block is freed once by each thread, so it may be handed out twice; a third of its size may not. */
int main(int argc, char **argv)
{
    size_t bytes = crime_number(argv[argc - 1]);
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    if (pthread_create(&thread, NULL, free_in_step, NULL) != 0) {
        return 3;
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        block = malloc(bytes);
        crime_about(block);
        pthread_barrier_wait(&barrier);
        free(hidden(block));
        pthread_barrier_wait(&barrier);
    }
    pthread_join(thread, NULL);
    crime_returned();
    return 0;
}
