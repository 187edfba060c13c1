/* 40 threads are alive, of which one at a time works. Prints how many owners hepta has made for them: with
   nobody in the way that is what the number of processors gives. */
#include "scene.h"

enum { THREADS = 40 };

static pthread_barrier_t worked, ending;

static void *thread(void *argument)
{
    work(300, (unsigned)(uintptr_t)argument);
    pthread_barrier_wait(&worked);
    pthread_barrier_wait(&ending);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    char *text = NULL;
    size_t length;
    pthread_barrier_init(&worked, NULL, 2);
    pthread_barrier_init(&ending, NULL, THREADS + 1);
    for (uintptr_t index = 0; index < THREADS; index++) {
        threads[index] = start_thread(thread, (void *)index);
        pthread_barrier_wait(&worked);
    }
    FILE *stream = open_memstream(&text, &length);
    malloc_info(0, stream);
    fclose(stream);
    const char *owners = strstr(text, " owners=\"");
    expect(owners != NULL, "malloc_info tells the number of owners");
    dprintf(STDOUT_FILENO, "%lu\n", strtoul(owners + 9, NULL, 10));
    free(text);
    pthread_barrier_wait(&ending);
    for (unsigned index = 0; index < THREADS; index++) {
        end_thread(threads[index]);
    }
    return 0;
}
