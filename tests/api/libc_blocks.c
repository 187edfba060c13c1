/* Blocks that libc allocates and the program frees, and the names by which libc itself knows malloc. */
#include <dlfcn.h>
#include <execinfo.h>
#include <wchar.h>

#include "say.h"

static void say_strings(void)
{
    char *text = NULL;
    free(strdup("hepta"));
    free(strndup("hepta", 3));
    free(wcsdup(L"hepta"));
    say("asprintf", yes_or_no(asprintf(&text, "%0*d", 5000, 7) == 5000));
    free(text);
    free(realpath("/", NULL));
    free(getcwd(NULL, 0));
    text = NULL;
    size_t capacity = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    say("getline", yes_or_no(getline(&text, &capacity, file) > 0));
    free(text);
    fclose(file);
    void *frames[8];
    free(backtrace_symbols(frames, backtrace(frames, 8)));
    text = malloc(1);
    capacity = 1;
    file = fmemopen((char[]){"a line that is longer than a byte\n"}, 34, "r");
    say("getline into a block of the program", yes_or_no(getline(&text, &capacity, file) == 34));
    free(text);
    fclose(file);
}

typedef void *malloc_function(size_t bytes);
typedef void *memalign_function(size_t alignment, size_t bytes);
typedef void *calloc_function(size_t count, size_t bytes);
typedef void *realloc_function(void *pointer, size_t bytes);
typedef void free_function(void *pointer);

static void *named(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

/* What one of the names allocates the other may free. */
static void say_aliases(void)
{
    malloc_function *libc_malloc = (malloc_function *)(uintptr_t)named("__libc_malloc");
    calloc_function *libc_calloc = (calloc_function *)(uintptr_t)named("__libc_calloc");
    realloc_function *libc_realloc = (realloc_function *)(uintptr_t)named("__libc_realloc");
    memalign_function *libc_memalign = (memalign_function *)(uintptr_t)named("__libc_memalign");
    free_function *libc_free = (free_function *)(uintptr_t)named("__libc_free");
    free(libc_malloc(100));
    libc_free(malloc(100));
    free(libc_calloc(10, 10));
    free(libc_realloc(malloc(10), 10000));
    libc_free(realloc(libc_malloc(10), 10000));
    void *block = libc_memalign(256, 100);
    say("__libc_memalign(256, 100): aligned", yes_or_no(is_aligned(block, 256)));
    libc_free(block);
    say("the names __libc_* are the same allocator", "yes");
}

int main(void)
{
    say_strings();
    say_aliases();
    return 0;
}
