/* Calls before any constructor, in constructors, in handlers of atexit, in destructors of the program, and
   in all of a thread's kinds of destructors down to the last round. */
#include "scene.h"

extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *handle);
extern void *__dso_handle;

enum { BLOCKS = 200, LAST_ROUND = 4 };

static struct {
    void *small[BLOCKS];
    void *large;
    void *huge;
} from_preinit, from_constructor;

static pthread_key_t key;
static __thread unsigned round_number;
static _Atomic unsigned ended_rounds;
static _Atomic unsigned ended_objects;

static void allocate_all(void *into)
{
    void **blocks = into;
    for (unsigned index = 0; index < BLOCKS; index++) {
        blocks[index] = realloc(parcel_new(index), index);
        blocks[index] = parcel_fill(realloc(blocks[index], index * 5 + 1), index * 5 + 1);
    }
    blocks[BLOCKS] = parcel_new(100000);
    blocks[BLOCKS + 1] = parcel_new(9000000);
}

static void free_all(void *from)
{
    void **blocks = from;
    for (unsigned index = 0; index < BLOCKS; index++) {
        parcel_free(blocks[index], index * 5 + 1);
    }
    parcel_free(blocks[BLOCKS], 100000);
    parcel_free(blocks[BLOCKS + 1], 9000000);
}

static void before_constructors(void)
{
    allocate_all(&from_preinit);
    work(500, 1);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const preinit)(void) = before_constructors;

__attribute__((constructor)) static void construct(void)
{
    allocate_all(&from_constructor);
    work(500, 2);
}

__attribute__((destructor)) static void destruct(void)
{
    free_all(&from_constructor);
    work(500, 3);
}

static void at_exit(void)
{
    free_all(&from_preinit);
    work(500, 4);
}

/* The destructor of the key. In the last round nothing of the thread comes after it. */
static void end_of_round(void *value)
{
    round_number++;
    work(300, round_number);
    for (unsigned index = 0; index < BLOCKS; index++) {
        void *block = ((void **)value)[index];
        if (block != NULL) {
            parcel_free(block, index);
        }
    }
    free(value);
    if (round_number == LAST_ROUND) {
        ended_rounds++;
        return;
    }
    void **next = malloc(BLOCKS * sizeof *next);
    for (unsigned index = 0; index < BLOCKS; index++) {
        next[index] = parcel_new(index);
    }
    pthread_setspecific(key, next);
}

static void end_of_object(void *object)
{
    parcel_free(object, 777);
    work(300, 5);
    ended_objects++;
}

static void *thread(void *argument)
{
    __cxa_thread_atexit_impl(end_of_object, parcel_new(777), &__dso_handle);
    end_of_round(calloc(BLOCKS, sizeof(void *)));
    round_number = 0;
    return argument;
}

static void *thread_that_calls_late_only(void *argument)
{
    pthread_setspecific(key, argument);
    return NULL;
}

int main(void)
{
    atexit(at_exit);
    pthread_key_create(&key, end_of_round);
    for (unsigned count = 0; count < 100; count++) {
        end_thread(start_thread(thread, NULL));
        end_thread(start_thread(thread_that_calls_late_only, calloc(BLOCKS, sizeof(void *))));
    }
    expect(ended_rounds == 200, "all rounds of all threads have ended");
    expect(ended_objects == 100, "all objects of all threads have ended");
    return 0;
}
