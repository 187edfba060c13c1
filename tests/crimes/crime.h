/*
 * crime: what the programs of this folder share. Each commits one misuse; run_crimes.sh runs it and
 * compares what the library says with the comments at the program's head:
 *
 *   expect:  the line after "hepta: ", or `nothing`. {call} is the first argument, {pointer} is what
 *            the program named by crime_about. A second line of this kind is another answer that is
 *            right as well.
 *   each:    the arguments of one run; there may be several lines. Without one: one run.
 *   late:    the same, but the report may come as late as the end of the process, because a thread's
 *            cache or another thread's note has the block. Otherwise the bad call itself must report.
 *   check:   the same, but found out only with the option check:on.
 *   lines:   so many lines at least are said when the process is to go on.
 *
 * stdout and stderr are written without stdio, so that the misuse is the only thing that can go wrong.
 */
#pragma once

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The compiler must not know where a pointer comes from: it would warn, or drop the misuse. */
static inline void *hidden(void *pointer)
{
    __asm__ volatile("" : "+r"(pointer) : : "memory");
    return pointer;
}

static inline void crime_write(const char *text, size_t length)
{
    if (write(STDOUT_FILENO, text, length) != (ssize_t)length) {
        _exit(3);
    }
}

/* The block or address that the misuse is about. */
static inline void crime_about(const void *pointer)
{
    char line[40];
    int length = snprintf(line, sizeof line, "about 0x%lx\n", (unsigned long)(uintptr_t)pointer);
    crime_write(line, (size_t)length);
}

/* The misuse was committed and the call returned. */
static inline void crime_returned(void)
{
    crime_write("returned\n", 9);
}

static inline void *crime_block(size_t bytes)
{
    void *block = malloc(bytes);
    if (block == NULL) {
        _exit(3);
    }
    memset(block, 0x41, bytes);
    return hidden(block);
}

static inline size_t crime_number(const char *text)
{
    return (size_t)strtoull(text, NULL, 0);
}

/* Hands the pointer to the function of that name. */
static inline void crime_call(const char *call, void *pointer)
{
    pointer = hidden(pointer);
    if (strcmp(call, "free") == 0) {
        free(pointer);
    } else if (strcmp(call, "realloc") == 0) {
        pointer = hidden(realloc(pointer, 200));
    } else if (strcmp(call, "malloc_usable_size") == 0) {
        pointer = hidden((void *)malloc_usable_size(pointer));
    } else {
        _exit(3);
    }
}

/* Runs the function in a thread of its own and waits for that thread's end. */
static inline void in_thread(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, argument) != 0 || pthread_join(thread, NULL) != 0) {
        _exit(3);
    }
}

static inline void *free_it(void *pointer)
{
    if (pointer != NULL) {
        free(hidden(pointer));
    }
    return NULL;
}

/* Lets libc allocate what it keeps for threads, so that it takes no memory between two frees. */
static inline void prepare_threads(void)
{
    in_thread(free_it, NULL);
}
