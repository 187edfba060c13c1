/*
 * load: 80 MiB of blocks that come and go, and the clock.
 */
#pragma once

#include <time.h>

#include "scene.h"

enum { BLOCKS = 200000, BLOCK_BYTES = 400 };

static void *blocks[BLOCKS];

static inline double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static inline void pause_ms(long milliseconds)
{
    struct timespec time = {.tv_sec = milliseconds / 1000,
                            .tv_nsec = milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static inline void *allocate_all(void *argument)
{
    (void)argument;
    for (unsigned index = 0; index < BLOCKS; index++) {
        blocks[index] = memset(malloc(BLOCK_BYTES), 1, BLOCK_BYTES);
    }
    return NULL;
}

static inline void *free_all(void *argument)
{
    for (unsigned index = 0; index < BLOCKS; index++) {
        free(blocks[index]);
    }
    return argument;
}

static inline void *burst(void *argument)
{
    allocate_all(argument);
    return free_all(argument);
}

static inline void in_a_thread(void *(*body)(void *))
{
    pthread_t thread;
    expect(pthread_create(&thread, NULL, body, NULL) == 0, "a thread can be started");
    pthread_join(thread, NULL);
}
