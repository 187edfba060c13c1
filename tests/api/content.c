/* What is in a block: zeros after calloc whatever lay there before, the old content after realloc. */
#include "say.h"

enum { BLOCKS = 24 };

static size_t next_size(size_t bytes)
{
    return bytes < 1100 ? bytes + 8 : bytes + bytes / 16 + 1;
}

static void dirty(size_t bytes, unsigned count)
{
    void *blocks[BLOCKS];
    for (unsigned index = 0; index < count; index++) {
        blocks[index] = malloc(bytes);
        memset(blocks[index], 0xa5, malloc_usable_size(blocks[index]));
    }
    for (unsigned index = 0; index < count; index++) {
        free(blocks[index]);
    }
}

/* Some of the blocks that calloc returns were dirtied before, some were not. */
static bool calloc_is_zero(size_t bytes)
{
    unsigned count = bytes > 1000000 ? 3 : BLOCKS;
    unsigned char *blocks[BLOCKS];
    bool zero = true;
    dirty(bytes, count / 2);
    for (unsigned index = 0; index < count; index++) {
        blocks[index] = calloc(index % 2 == 0 ? bytes : 1, index % 2 == 0 ? 1 : bytes);
        zero = zero && is_zero(blocks[index], bytes);
        memset(blocks[index], 0xa5, malloc_usable_size(blocks[index]));
    }
    for (unsigned index = 0; index < count; index++) {
        free(blocks[index]);
    }
    return zero;
}

static void say_calloc(void)
{
    bool zero = true;
    for (unsigned round = 0; round < 2; round++) {
        for (size_t bytes = 1; bytes < 200000; bytes = next_size(bytes)) {
            zero = zero && calloc_is_zero(bytes);
        }
        malloc_trim(0);
    }
    say("calloc is zero for every class, also after reuse", yes_or_no(zero));
    zero = true;
    for (size_t bytes = 200000; bytes < 50000000; bytes = bytes * 2 + 777) {
        zero = zero && calloc_is_zero(bytes);
    }
    say("calloc is zero for large and huge blocks", yes_or_no(zero));
}

/* From each size to another and back, with a neighbour that must not be touched. */
static bool realloc_keeps(size_t bytes, size_t other_bytes)
{
    size_t least = bytes < other_bytes ? bytes : other_bytes;
    unsigned char *block = malloc(bytes);
    unsigned char *neighbour = malloc(bytes);
    fill(block, bytes, 1);
    fill(neighbour, bytes, 2);
    block = realloc(block, other_bytes);
    bool kept = is_aligned(block, 16) && malloc_usable_size(block) >= other_bytes &&
                is_filled(block, least, 1);
    fill(block, other_bytes, 3);
    block = realloc(block, bytes);
    kept = kept && malloc_usable_size(block) >= bytes && is_filled(block, least, 3);
    kept = kept && is_filled(neighbour, bytes, 2);
    free(neighbour);
    free(block);
    return kept;
}

static void say_realloc(void)
{
    bool up = true, borders = true;
    for (size_t bytes = 1; bytes < 70000; bytes = next_size(bytes)) {
        for (size_t other = 1; other < 140000; other = other * 2 + 3) {
            up = up && realloc_keeps(bytes, other);
        }
    }
    for (size_t bytes = 16; bytes <= 40960; bytes += bytes < 1024 ? 16 : 128) {
        borders = borders && realloc_keeps(bytes, bytes + 1) && realloc_keeps(bytes + 1, bytes) &&
                  realloc_keeps(bytes, bytes - 1) && realloc_keeps(bytes - 1, bytes);
    }
    say("realloc keeps the content between all sizes", yes_or_no(up));
    say("realloc keeps the content across every border of a class", yes_or_no(borders));
    bool huge = true;
    for (size_t bytes = 100000; bytes < 30000000; bytes = bytes * 3) {
        huge = huge && realloc_keeps(bytes, bytes + 4096) && realloc_keeps(bytes, bytes * 2) &&
               realloc_keeps(bytes, 1000) && realloc_keeps(bytes, bytes / 2);
    }
    say("realloc keeps the content of large and huge blocks", yes_or_no(huge));
}

/* A block that grows by small steps from nothing to 20 MB, as a string that is appended to. */
static void say_growth(void)
{
    unsigned char *block = NULL;
    bool kept = true;
    size_t filled = 0;
    for (size_t bytes = 1; bytes < 20000000; bytes += bytes / 4 + 1) {
        block = realloc(block, bytes);
        kept = kept && is_filled(block, filled, 4);
        fill(block, bytes, 4);
        filled = bytes;
    }
    for (size_t bytes = filled; bytes > 0; bytes /= 3) {
        block = realloc(block, bytes);
        kept = kept && is_filled(block, bytes, 4);
    }
    free(block);
    say("a block that grows and shrinks by steps keeps its content", yes_or_no(kept));
}

/* malloc then realloc to less and back: what calloc would have cleared need not be, but must be writable. */
static void say_shrunk_and_grown(void)
{
    bool good = true;
    for (size_t bytes = 32; bytes < 5000000; bytes = bytes * 2) {
        unsigned char *block = calloc(1, bytes);
        block = realloc(block, bytes / 2);
        block = realloc(block, bytes);
        good = good && is_zero(block, bytes / 2);
        memset(block, 1, bytes);
        free(block);
    }
    say("calloc, shrink, grow: the first half is still zero", yes_or_no(good));
}

int main(void)
{
    say_calloc();
    say_realloc();
    say_growth();
    say_shrunk_and_grown();
    return 0;
}
