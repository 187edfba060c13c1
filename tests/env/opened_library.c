/* opened_library FILE: a program on another malloc opens hepta, uses it by its prefixed names in threads,
   closes it while threads that used it live on, and opens it again. */
#include <dlfcn.h>

#include "scene.h"

enum { ROUNDS = 20, THREADS = 4, BLOCKS = 500 };

static void *(*allocate)(size_t);
static void (*release)(void *);
static pthread_barrier_t used, closed;

static void *named(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fail("%s", dlerror());
    }
    return symbol;
}

static void *thread(void *argument)
{
    void *blocks[BLOCKS];
    for (size_t index = 0; index < BLOCKS; index++) {
        blocks[index] = parcel_fill(allocate(index * 3), index * 3);
        void *mine = malloc(index);
        free(mine);
    }
    for (size_t index = 0; index < BLOCKS; index++) {
        parcel_check(blocks[index], index * 3);
        release(blocks[index]);
    }
    pthread_barrier_wait(&used);
    pthread_barrier_wait(&closed);
    return argument;
}

int main(int argc, char **argv)
{
    expect(argc == 2, "there is one argument");
    for (unsigned round = 0; round < ROUNDS; round++) {
        void *library = dlopen(argv[1], round % 2 == 0 ? RTLD_NOW : RTLD_LAZY | RTLD_GLOBAL);
        if (library == NULL) {
            fail("%s", dlerror());
        }
        allocate = (void *(*)(size_t))(uintptr_t)named(library, "hepta_malloc");
        release = (void (*)(void *))(uintptr_t)named(library, "hepta_free");
        pthread_barrier_init(&used, NULL, THREADS + 1);
        pthread_barrier_init(&closed, NULL, THREADS + 1);
        pthread_t threads[THREADS];
        for (unsigned index = 0; index < THREADS; index++) {
            threads[index] = start_thread(thread, NULL);
        }
        release(allocate(100));
        pthread_barrier_wait(&used);
        expect(dlclose(library) == 0, "the library can be closed");
        pthread_barrier_wait(&closed);
        for (unsigned index = 0; index < THREADS; index++) {
            end_thread(threads[index]);
        }
    }
    free(malloc(1000));
    return 0;
}
