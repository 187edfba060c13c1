/* Threads that do all that an allocator offers, for the situations that are made from outside. */
#include "scene.h"

enum { THREADS = 6 };

static void *thread(void *argument)
{
    work(20000, (unsigned)(uintptr_t)argument);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (uintptr_t index = 0; index < THREADS; index++) {
        threads[index] = start_thread(thread, (void *)index);
    }
    work(20000, 99);
    for (unsigned index = 0; index < THREADS; index++) {
        end_thread(threads[index]);
    }
    malloc_trim(0);
    work(1000, 100);
    return 0;
}
