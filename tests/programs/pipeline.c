/* A program in C: threads hand blocks on to one another, each with a pattern that the receiver checks. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 60000, PLACES = 512 };

typedef struct parcel {
    size_t bytes;
    unsigned char mark;
    unsigned char content[];
} parcel;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static parcel *places[PLACES];

static void check_and_free(parcel *one)
{
    for (size_t at = 0; at < one->bytes; at++) {
        if (one->content[at] != one->mark) {
            puts("a parcel has changed");
            exit(1);
        }
    }
    free(one);
}

static parcel *swap(unsigned place, parcel *fresh)
{
    pthread_mutex_lock(&lock);
    parcel *old = places[place];
    places[place] = fresh;
    pthread_mutex_unlock(&lock);
    return old;
}

static void *work(void *argument)
{
    unsigned short state[3] = {*(unsigned short *)argument, 1, 2};
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t bytes = (size_t)nrand48(state) % ((size_t)16 << nrand48(state) % 9);
        parcel *fresh = malloc(sizeof *fresh + bytes);
        fresh->bytes = bytes;
        fresh->mark = (unsigned char)round;
        memset(fresh->content, fresh->mark, bytes);
        parcel *old = swap((unsigned)nrand48(state) % PLACES, fresh);
        if (old != NULL) {
            check_and_free(old);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned short seeds[THREADS];
    for (unsigned index = 0; index < THREADS; index++) {
        seeds[index] = (unsigned short)index;
        if (pthread_create(&threads[index], NULL, work, &seeds[index]) != 0) {
            return 1;
        }
    }
    for (unsigned index = 0; index < THREADS; index++) {
        pthread_join(threads[index], NULL);
    }
    for (unsigned place = 0; place < PLACES; place++) {
        if (places[place] != NULL) {
            check_and_free(places[place]);
        }
    }
    /* There is no header: a request of 48 bytes gets 48 on hepta, and never in glibc or musl. */
    void *block = malloc(48);
    puts(malloc_usable_size(block) == 48 ? "on hepta" : "on another allocator");
    free(block);
    return 0;
}
