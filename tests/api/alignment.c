/* Alignment and room of what every function returns. */
#include "say.h"

static void say_every_size(void)
{
    bool aligned = true, room = true, writable = true;
    for (size_t bytes = 0; bytes < 70000; bytes += bytes < 2100 ? 1 : 97) {
        unsigned char *block = malloc(bytes);
        size_t usable = malloc_usable_size(block);
        aligned = aligned && is_aligned(block, 16);
        room = room && usable >= bytes;
        fill(block, usable, 3);
        writable = writable && is_filled(block, usable, 3);
        free(block);
    }
    say("malloc of 0 to 70,000 bytes: aligned to 16", yes_or_no(aligned));
    say("malloc_usable_size is at least the size", yes_or_no(room));
    say("all of it is writable", yes_or_no(writable));
}

static void *by_posix(size_t alignment, size_t bytes)
{
    void *block = NULL;
    return posix_memalign(&block, alignment, bytes) == 0 ? block : NULL;
}

typedef void *aligned_function(size_t alignment, size_t bytes);

static bool is_good(void *block, size_t alignment, size_t bytes)
{
    if (block == NULL || !is_aligned(block, alignment) || malloc_usable_size(block) < bytes) {
        return false;
    }
    memset(block, 0x5a, bytes);
    return true;
}

/* Several at a time, so that they do not all come from the same place. */
static bool is_good_for(aligned_function *function, size_t alignment, size_t bytes)
{
    void *blocks[3];
    bool good = true;
    for (unsigned copy = 0; copy < 3; copy++) {
        blocks[copy] = function(alignment, bytes);
        good = good && is_good(blocks[copy], alignment, bytes);
    }
    for (unsigned copy = 0; copy < 3; copy++) {
        free(blocks[copy]);
    }
    return good;
}

static void say_every_alignment(const char *name, aligned_function *function)
{
    static const size_t sizes[] = {0,    1,    8,    24,    100,   513,    1024,
                                   1025, 4096, 5000, 32768, 40000, 5000000};
    for (size_t alignment = sizeof(void *); alignment <= (size_t)64 << 20; alignment *= 2) {
        bool good = true;
        for (unsigned index = 0; index < sizeof sizes / sizeof *sizes; index++) {
            good = good && is_good_for(function, alignment, sizes[index]);
        }
        printf("%s at %zu: aligned, room, writable: %s\n", name, alignment, yes_or_no(good));
    }
}

static bool keeps_content(size_t alignment, size_t bytes, size_t new_bytes)
{
    unsigned char *block = memalign(alignment, bytes);
    fill(block, bytes, 9);
    unsigned char *moved = realloc(block, new_bytes);
    bool kept = moved != NULL && is_filled(moved, bytes < new_bytes ? bytes : new_bytes, 9);
    free(moved);
    return kept;
}

static void say_realloc_of_aligned(void)
{
    bool kept = true;
    for (size_t alignment = 32; alignment <= (size_t)8 << 20; alignment *= 4) {
        for (size_t bytes = 1; bytes < 10000000; bytes = bytes * 3 + 5) {
            kept = kept && keeps_content(alignment, bytes, bytes * 2 + 1) &&
                   keeps_content(alignment, bytes, bytes / 2 + 1);
        }
    }
    say("realloc of an aligned block keeps its content", yes_or_no(kept));
}

static void say_odd_alignments(void)
{
    static const size_t odd[] = {0, 1, 2, 3, 5, 12, 17, 24, 33, 48, 100, 4095, 4097, 100000};
    for (unsigned index = 0; index < sizeof odd / sizeof *odd; index++) {
        size_t alignment = opaque_size(odd[index]);
        size_t power = 16;
        while (power < alignment) {
            power *= 2;
        }
        void *block = memalign(alignment, 100);
        printf("memalign(%zu, 100): a multiple of %zu: %s\n", alignment, power,
               yes_or_no(block != NULL && is_aligned(block, power)));
        free(block);
        block = aligned_alloc(alignment, 100);
        printf("aligned_alloc(%zu, 100): a block: %s\n", alignment, yes_or_no(block != NULL));
        free(block);
        void *result = opaque(NULL);
        int error = posix_memalign(&result, alignment, 100);
        printf("posix_memalign(%zu, 100): %s, result %s\n", alignment, name_of_error(error),
               result == NULL ? "kept" : "set");
    }
    before_call();
    say_result("memalign(SIZE_MAX, 8)", memalign(opaque_size(SIZE_MAX), 8));
    before_call();
    say_result("memalign(2^63 + 1, 8)", memalign(opaque_size(((size_t)1 << 63) + 1), 8));
    before_call();
    say_result("memalign(2^63, 8)", memalign(opaque_size((size_t)1 << 63), 8));
    before_call();
    say_result("memalign(2^62, 8)", memalign(opaque_size((size_t)1 << 62), 8));
    void *result = opaque(NULL);
    say("posix_memalign(2^62, 8)",
        name_of_error(posix_memalign(&result, opaque_size((size_t)1 << 62), 8)));
}

static void say_pages(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 50000, 10000000};
    for (unsigned index = 0; index < sizeof sizes / sizeof *sizes; index++) {
        size_t bytes = opaque_size(sizes[index]);
        void *block = valloc(bytes);
        printf("valloc(%zu): at a page: %s\n", bytes, yes_or_no(is_good(block, page, bytes)));
        free(block);
        block = pvalloc(bytes);
        size_t whole = (bytes + page - 1) / page * page;
        printf("pvalloc(%zu): whole pages: %s\n", bytes, yes_or_no(is_good(block, page, whole)));
        free(block);
    }
}

int main(void)
{
    say_every_size();
    say_every_alignment("memalign", memalign);
    say_every_alignment("aligned_alloc", aligned_alloc);
    say_every_alignment("posix_memalign", by_posix);
    say_realloc_of_aligned();
    say_odd_alignments();
    say_pages();
    return 0;
}
