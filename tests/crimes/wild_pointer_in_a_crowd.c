/* The same where many threads share an owner, and use each other's chunks again. */
/* expect: {call}(): invalid pointer {pointer} */
/* each: free 0x1 */
/* each: free 0x10 */
/* each: free 0xfff0 */
/* each: free 0x10000 */
/* each: free 0xdeadbeefdeadbeef */
/* each: free 0xffffffffffffffff */
/* each: realloc 0x10 */
#include "crime.h"

enum { THREADS_PER_PROCESSOR = 4, BLOCKS = 600 };

static pthread_barrier_t all_have_worked;

/* More than a thread does before it is bound to an owner. */
static void work(void)
{
    void *blocks[BLOCKS];
    for (unsigned index = 0; index < BLOCKS; index++) {
        blocks[index] = crime_block(16 + index % 64);
    }
    for (unsigned index = 0; index < BLOCKS; index++) {
        free(blocks[index]);
    }
}

static void *one_of_many(void *argument)
{
    work();
    pthread_barrier_wait(&all_have_worked);
    pause();
    return argument;
}

int main(int argc, char **argv)
{
    unsigned threads = THREADS_PER_PROCESSOR * (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    pthread_barrier_init(&all_have_worked, NULL, threads + 1);
    for (unsigned index = 0; index < threads; index++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, one_of_many, NULL) != 0) {
            return 3;
        }
    }
    work();
    pthread_barrier_wait(&all_have_worked);
    void *wild = (void *)(uintptr_t)crime_number(argv[argc - 1]);
    crime_about(wild);
    crime_call(argv[argc - 2], wild);
    crime_returned();
    return 0;
}
