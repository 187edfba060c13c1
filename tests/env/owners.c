/* Starts 40 threads that work at once and prints how many owners hepta has made for them. */
#include "scene.h"

enum { THREADS = 40 };

static pthread_barrier_t started;

static void *thread(void *argument)
{
    pthread_barrier_wait(&started);
    work(300, (unsigned)(uintptr_t)argument);
    pthread_barrier_wait(&started);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    char *text = NULL;
    size_t length;
    pthread_barrier_init(&started, NULL, THREADS + 1);
    for (uintptr_t index = 0; index < THREADS; index++) {
        threads[index] = start_thread(thread, (void *)index);
    }
    pthread_barrier_wait(&started);
    pthread_barrier_wait(&started);
    FILE *stream = open_memstream(&text, &length);
    malloc_info(0, stream);
    fclose(stream);
    const char *owners = strstr(text, " owners=\"");
    expect(owners != NULL, "malloc_info tells the number of owners");
    dprintf(STDOUT_FILENO, "%lu\n", strtoul(owners + 9, NULL, 10));
    free(text);
    for (unsigned index = 0; index < THREADS; index++) {
        end_thread(threads[index]);
    }
    return 0;
}
