/*
 * say: the lines that a program of this folder prints. The program runs on glibc's malloc and on hepta,
 * and both must say the same; so it says only what must agree.
 */
#pragma once

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The compiler must not reason about what an allocator's function returns. */
static inline void *opaque(void *pointer)
{
    __asm__ volatile("" : "+r"(pointer) : : "memory");
    return pointer;
}

static inline size_t opaque_size(size_t bytes)
{
    __asm__ volatile("" : "+r"(bytes));
    return bytes;
}

static inline const char *yes_or_no(bool answer)
{
    return answer ? "yes" : "no";
}

static inline const char *name_of_error(int error)
{
    switch (error) {
    case 0:
        return "none";
    case ENOMEM:
        return "ENOMEM";
    case EINVAL:
        return "EINVAL";
    case EDOM:
        return "kept";
    default:
        return "another one";
    }
}

static inline void say(const char *what, const char *answer)
{
    printf("%-60s %s\n", what, answer);
}

/* errno is set to a value that no allocator sets, so that one that was kept can be told. */
static inline void before_call(void)
{
    errno = EDOM;
}

/* NULL or not, and errno after it. */
static inline void say_result(const char *what, const void *result)
{
    int error = errno;
    printf("%-60s %s, errno %s\n", what, result == NULL ? "NULL" : "a block", name_of_error(error));
}

static inline bool is_aligned(const void *pointer, size_t alignment)
{
    return (uintptr_t)pointer % alignment == 0;
}

/* A pattern that tells every position in a block. */
static inline void fill(void *block, size_t bytes, unsigned seed)
{
    for (size_t at = 0; at < bytes; at++) {
        ((unsigned char *)block)[at] = (unsigned char)(at * 7 + (at >> 8) + seed);
    }
}

static inline bool is_filled(const void *block, size_t bytes, unsigned seed)
{
    for (size_t at = 0; at < bytes; at++) {
        if (((const unsigned char *)block)[at] != (unsigned char)(at * 7 + (at >> 8) + seed)) {
            return false;
        }
    }
    return true;
}

static inline bool is_zero(const void *block, size_t bytes)
{
    for (size_t at = 0; at < bytes; at++) {
        if (((const unsigned char *)block)[at] != 0) {
            return false;
        }
    }
    return true;
}
