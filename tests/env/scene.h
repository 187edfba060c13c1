/*
 * scene: what the programs of this folder share. Each puts an allocator into one situation and ends with
 * exit status 0 when all went well; what went wrong is one line on stderr, by write, without stdio's buffers.
 * They call the plain names and do not know which allocator they have.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KIB = 1024, MIB = 1024 * 1024 };

__attribute__((noreturn, format(printf, 1, 2))) static inline void fail(const char *format, ...)
{
    char line[300];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    line[length] = '\n';
    if (write(STDERR_FILENO, line, (size_t)length + 1) < 0) {
        _exit(4);
    }
    _exit(1);
}

static inline void expect(bool holds, const char *sentence)
{
    if (!holds) {
        fail("not so: %s", sentence);
    }
}

/* A line of /proc/self/status in KiB, read without an allocation: "VmRSS:", "VmSize:", "VmLck:". */
static inline size_t status_kib(const char *name)
{
    static char text[8192];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length < 0 ? 0 : length] = '\0';
    const char *line = strstr(text, name);
    return line == NULL ? 0 : strtoull(line + strlen(name), NULL, 10);
}

static inline size_t resident_kib(void)
{
    return status_kib("VmRSS:");
}

/* A block whose first bytes tell its size and whose others follow from it; see parcel_free. */
static inline void *parcel_fill(void *block, size_t bytes)
{
    if (block != NULL) {
        memset(block, (int)(bytes * 7 % 251), bytes);
        if (bytes >= sizeof bytes) {
            memcpy(block, &bytes, sizeof bytes);
        }
    }
    return block;
}

static inline void *parcel_new(size_t bytes)
{
    return parcel_fill(malloc(bytes), bytes);
}

static inline void parcel_check(const void *block, size_t bytes)
{
    const unsigned char *content = block;
    size_t step = bytes > 4096 ? 509 : 1;
    size_t told = bytes;
    if (bytes >= sizeof bytes) {
        memcpy(&told, block, sizeof told);
    }
    expect(told == bytes, "a block keeps its first bytes");
    for (size_t at = bytes >= sizeof bytes ? sizeof bytes : 0; at < bytes; at += step) {
        expect(content[at] == (unsigned char)(bytes * 7 % 251), "a block keeps its content");
    }
}

static inline void parcel_free(void *block, size_t bytes)
{
    parcel_check(block, bytes);
    free(block);
}

/* So many small steps with blocks of all kinds, all of which are freed again. */
static inline void work(unsigned steps, unsigned seed)
{
    enum { PLACES = 64 };
    struct {
        void *block;
        size_t bytes;
    } places[PLACES] = {0};
    unsigned short state[3] = {(unsigned short)seed, (unsigned short)(seed >> 16), 7};
    for (unsigned step = 0; step < steps + PLACES; step++) {
        unsigned place = step < steps ? (unsigned)nrand48(state) % PLACES : step - steps;
        if (places[place].block != NULL) {
            parcel_free(places[place].block, places[place].bytes);
            places[place].block = NULL;
        }
        if (step < steps) {
            places[place].bytes = (size_t)nrand48(state) % ((size_t)16 << nrand48(state) % 11);
            places[place].block = parcel_new(places[place].bytes);
            expect(places[place].block != NULL, "there is memory");
        }
    }
}

/* Threads with small stacks, so that thousands fit. */
static inline pthread_t start_thread(void *(*body)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 * KIB);
    int error = pthread_create(&thread, &attributes, body, argument);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
        fail("pthread_create: %s", strerror(error));
    }
    return thread;
}

static inline void end_thread(pthread_t thread)
{
    expect(pthread_join(thread, NULL) == 0, "a thread can be joined");
}
