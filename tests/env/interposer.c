/* A library to be preloaded beside hepta. It interposes calls that an allocator makes, and allocates, frees
   and looks up symbols inside them, also in vain, as tools that watch a program do. What dlsym keeps about a
   failure is not made for a call inside a call: an allocator that goes to the kernel itself is never there. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static __thread int depth;
static unsigned calls;

/* The real function, looked up each time, with a failure and some blocks beside it. */
static void *next_with_failure(const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (depth++ == 0) {
        char *copy = strdup(name);
        void *missing = dlsym(RTLD_DEFAULT, "a_name_that_nothing_has");
        free(dlerror() == NULL || missing != NULL ? NULL : copy);
        free(calloc(1 + calls++ % 3000, 7));
    }
    depth--;
    return symbol;
}

/* The real function, looked up once. */
static void *next(const char *name, void **known)
{
    if (*known == NULL) {
        *known = dlsym(RTLD_NEXT, name);
    }
    free(malloc(1 + calls++ % 3000));
    return *known;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    void *(*real)(void *, size_t, int, int, int, off_t) =
        (void *(*)(void *, size_t, int, int, int, off_t))(uintptr_t)next_with_failure("mmap");
    return real(address, length, protection, flags, file, offset);
}

int munmap(void *address, size_t length)
{
    int (*real)(void *, size_t) = (int (*)(void *, size_t))(uintptr_t)next_with_failure("munmap");
    return real(address, length);
}

int madvise(void *address, size_t length, int advice)
{
    int (*real)(void *, size_t, int) =
        (int (*)(void *, size_t, int))(uintptr_t)next_with_failure("madvise");
    return real(address, length, advice);
}

int mincore(void *address, size_t length, unsigned char *resident)
{
    int (*real)(void *, size_t, unsigned char *) =
        (int (*)(void *, size_t, unsigned char *))(uintptr_t)next_with_failure("mincore");
    return real(address, length, resident);
}

int open(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...) =
        (int (*)(const char *, int, ...))(uintptr_t)next_with_failure("open");
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = (flags & O_CREAT) != 0 ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    return real(path, flags, mode);
}

int sched_getaffinity(int process, size_t length, void *mask)
{
    int (*real)(int, size_t, void *) =
        (int (*)(int, size_t, void *))(uintptr_t)next_with_failure("sched_getaffinity");
    return real(process, length, mask);
}

int pthread_key_create(unsigned *key, void (*destructor)(void *))
{
    static void *known;
    int (*real)(unsigned *, void (*)(void *)) =
        (int (*)(unsigned *, void (*)(void *)))(uintptr_t)next("pthread_key_create", &known);
    return real(key, destructor);
}

int pthread_setspecific(unsigned key, const void *value)
{
    static void *known;
    int (*real)(unsigned, const void *) =
        (int (*)(unsigned, const void *))(uintptr_t)next("pthread_setspecific", &known);
    return real(key, value);
}
