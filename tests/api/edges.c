/* Calls at the edges of what the functions take: sizes of zero and beyond all memory, products that
   overflow, NULL. */
#include "say.h"

static const size_t too_large[] = {(size_t)PTRDIFF_MAX, (size_t)PTRDIFF_MAX + 1,
                                   SIZE_MAX - 4096,     SIZE_MAX - 15,
                                   SIZE_MAX - 7,        SIZE_MAX};
enum { TOO_LARGE = sizeof too_large / sizeof *too_large };

static void say_zero_sizes(void)
{
    before_call();
    void *first = malloc(opaque_size(0));
    say_result("malloc(0)", first);
    void *second = malloc(opaque_size(0));
    say("malloc(0) twice: two blocks", yes_or_no(first != second));
    free(first);
    free(second);
    before_call();
    first = calloc(opaque_size(0), 0);
    say_result("calloc(0, 0)", first);
    before_call();
    second = calloc(opaque_size(0), 8);
    say_result("calloc(0, 8)", second);
    free(first);
    free(second);
    before_call();
    first = realloc(NULL, opaque_size(0));
    say_result("realloc(NULL, 0)", first);
    free(first);
    before_call();
    say_result("realloc(block, 0)", realloc(malloc(100), opaque_size(0)));
    before_call();
    say_result("realloc(large block, 0)", realloc(malloc(100000), opaque_size(0)));
    before_call();
    say_result("realloc(huge block, 0)", realloc(malloc(20000000), opaque_size(0)));
    before_call();
    say_result("reallocarray(NULL, 0, 8)", reallocarray(NULL, opaque_size(0), 8));
    before_call();
    say_result("reallocarray(block, 0, 8)", reallocarray(malloc(8), opaque_size(0), 8));
}

static void say_null(void)
{
    before_call();
    free(opaque(NULL));
    say_result("free(NULL)", NULL);
    printf("malloc_usable_size(NULL) %zu\n", malloc_usable_size(opaque(NULL)));
    void *block = realloc(opaque(NULL), 100);
    say("realloc(NULL, 100) is writable", yes_or_no(memset(block, 1, 100) == block));
    free(block);
}

static void say_too_large(void)
{
    for (unsigned index = 0; index < TOO_LARGE; index++) {
        size_t bytes = opaque_size(too_large[index]);
        char what[80];
        printf("size %#zx\n", bytes);
        before_call();
        say_result("  malloc", malloc(bytes));
        before_call();
        say_result("  calloc(1, n)", calloc(1, bytes));
        before_call();
        say_result("  calloc(n, 1)", calloc(bytes, 1));
        before_call();
        say_result("  valloc", valloc(bytes));
        before_call();
        say_result("  pvalloc", pvalloc(bytes));
        before_call();
        say_result("  memalign(64, n)", memalign(64, bytes));
        before_call();
        say_result("  aligned_alloc(4096, n)", aligned_alloc(4096, bytes));
        void *result = opaque(NULL);
        int error = posix_memalign(&result, 64, bytes);
        snprintf(what, sizeof what, "%s, result %s", name_of_error(error),
                 result == NULL ? "kept" : "set");
        say("  posix_memalign(64, n)", what);
    }
}

static void say_failed_growth(size_t bytes)
{
    printf("a block of %zu bytes\n", bytes);
    unsigned char *block = malloc(bytes);
    fill(block, bytes, 5);
    for (unsigned index = 0; index < TOO_LARGE; index++) {
        before_call();
        say_result("  realloc beyond all memory",
                   realloc(opaque(block), opaque_size(too_large[index])));
        before_call();
        say_result("  reallocarray", reallocarray(opaque(block), opaque_size(too_large[index]), 1));
    }
    say("  and it is intact", yes_or_no(is_filled(block, bytes, 5)));
    free(block);
}

static void say_products(void)
{
    size_t half = (size_t)1 << 32;
    void *block = malloc(10);
    memset(block, 7, 10);
    before_call();
    say_result("calloc(2^32, 2^32)", calloc(opaque_size(half), half));
    before_call();
    say_result("calloc(SIZE_MAX / 2, 3)", calloc(opaque_size(SIZE_MAX / 2), 3));
    before_call();
    say_result("calloc(SIZE_MAX, 0)", calloc(opaque_size(SIZE_MAX), 0));
    before_call();
    say_result("reallocarray(block, 2^32, 2^32)",
               reallocarray(opaque(block), opaque_size(half), half));
    before_call();
    say_result("reallocarray(block, SIZE_MAX, 2)",
               reallocarray(opaque(block), opaque_size(SIZE_MAX), 2));
    before_call();
    say_result("reallocarray(NULL, SIZE_MAX / 2, 3)",
               reallocarray(NULL, opaque_size(SIZE_MAX / 2), 3));
    say("and it is intact", yes_or_no(((char *)block)[9] == 7));
    free(block);
}

static void say_errno_after_free(void)
{
    static const size_t sizes[] = {1, 1000, 1025, 5000, 32768, 32769, 1000000, 20000000, 300000000};
    for (unsigned index = 0; index < sizeof sizes / sizeof *sizes; index++) {
        void *blocks[3];
        for (unsigned copy = 0; copy < 3; copy++) {
            blocks[copy] = malloc(sizes[index]);
        }
        before_call();
        for (unsigned copy = 0; copy < 3; copy++) {
            free(blocks[copy]);
        }
        int error = errno;
        printf("errno after free of %zu bytes: %s\n", sizes[index], name_of_error(error));
    }
}

int main(void)
{
    say_zero_sizes();
    say_null();
    say_too_large();
    say_failed_growth(100);
    say_failed_growth(3000);
    say_failed_growth(100000);
    say_failed_growth(9000000);
    say_products();
    say_errno_after_free();
    return 0;
}
