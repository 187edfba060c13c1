/* What a program asks an allocator about itself, and what it may tell it. */
#include "say.h"

static void say_mallopt(void)
{
    static const struct {
        const char *name;
        int parameter;
        int value;
    } calls[] = {
        {"M_MXFAST, 64", M_MXFAST, 64},
        {"M_MXFAST, 0", M_MXFAST, 0},
        {"M_MXFAST, 100000", M_MXFAST, 100000},
        {"M_MXFAST, -1", M_MXFAST, -1},
        {"M_TRIM_THRESHOLD, 128 KiB", M_TRIM_THRESHOLD, 131072},
        {"M_TRIM_THRESHOLD, -1", M_TRIM_THRESHOLD, -1},
        {"M_TOP_PAD, 1 MiB", M_TOP_PAD, 1 << 20},
        {"M_MMAP_THRESHOLD, 1 MiB", M_MMAP_THRESHOLD, 1 << 20},
        {"M_MMAP_MAX, 100", M_MMAP_MAX, 100},
        {"M_CHECK_ACTION, 3", M_CHECK_ACTION, 3},
        {"M_PERTURB, 0", M_PERTURB, 0},
        {"M_ARENA_TEST, 2", M_ARENA_TEST, 2},
        {"M_ARENA_TEST, 0", M_ARENA_TEST, 0},
        {"M_ARENA_MAX, 1", M_ARENA_MAX, 1},
        {"M_ARENA_MAX, 0", M_ARENA_MAX, 0},
        {"M_NLBLKS, 4", M_NLBLKS, 4},
        {"M_GRAIN, 4", M_GRAIN, 4},
        {"M_KEEP, 4", M_KEEP, 4},
        {"an unknown parameter", 12345, 1},
        {"another unknown parameter", -12345, 1},
    };
    for (unsigned index = 0; index < sizeof calls / sizeof *calls; index++) {
        before_call();
        int result = mallopt(calls[index].parameter, calls[index].value);
        printf("mallopt(%s): %d, errno %s\n", calls[index].name, result, name_of_error(errno));
    }
}

static size_t count_text(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

static void say_malloc_info(void)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    before_call();
    int result = malloc_info(0, stream);
    printf("malloc_info(0): %d\n", result);
    fclose(stream);
    say("  it begins with <malloc version=\"1\">",
        yes_or_no(strncmp(text, "<malloc version=\"1\">\n", 21) == 0));
    say("  it ends with </malloc>", yes_or_no(strcmp(text + length - 10, "</malloc>\n") == 0));
    say("  every heap is closed",
        yes_or_no(count_text(text, "<heap nr=") == count_text(text, "</heap>")));
    say("  there is a heap", yes_or_no(count_text(text, "<heap nr=\"0\">") == 1));
    say("  it names the system's bytes",
        yes_or_no(count_text(text, "<system type=\"current\" size=") >= 2));
    free(text);

    stream = open_memstream(&text, &length);
    printf("malloc_info(1): %d\n", malloc_info(1, stream));
    fclose(stream);
    printf("  and it writes %zu bytes\n", length);
    free(text);
}

static void say_mallinfo(void)
{
    struct mallinfo2 before = mallinfo2();
    void *huge = malloc(opaque_size((size_t)100 << 20));
    struct mallinfo2 with_huge = mallinfo2();
    say("mallinfo2: arena is uordblks + fordblks",
        yes_or_no(before.arena == before.uordblks + before.fordblks));
    say("  a huge block is one more mapping", yes_or_no(with_huge.hblks == before.hblks + 1));
    say("  of its size", yes_or_no(with_huge.hblkhd >= before.hblkhd + ((size_t)100 << 20)));
    struct mallinfo old = mallinfo();
    say("mallinfo: arena is uordblks + fordblks",
        yes_or_no(old.arena == old.uordblks + old.fordblks));
    free(huge);
    void *blocks[300];
    before = mallinfo2();
    for (unsigned index = 0; index < 300; index++) {
        blocks[index] = malloc(20000);
    }
    struct mallinfo2 with_blocks = mallinfo2();
    say("  300 blocks of 20,000 bytes are in use",
        yes_or_no(with_blocks.uordblks >= before.uordblks + 300 * 20000));
    for (unsigned index = 0; index < 300; index++) {
        free(blocks[index]);
    }
}

static void say_trim(void)
{
    void *blocks[100];
    for (unsigned index = 0; index < 100; index++) {
        blocks[index] = malloc(100000);
        memset(blocks[index], 1, 100000);
    }
    for (unsigned index = 0; index < 99; index++) {
        free(blocks[index]);
    }
    before_call();
    int result = malloc_trim(0);
    printf("malloc_trim(0) with 9.9 MB free: %d, errno %s\n", result, name_of_error(errno));
    result = malloc_trim(0);
    say("malloc_trim(0) again: 0 or 1", yes_or_no(result == 0 || result == 1));
    say("the block that is left is intact", yes_or_no(((char *)blocks[99])[99999] == 1));
    free(blocks[99]);
}

int main(void)
{
    /* glibc uses the heap from here on. */
    free(malloc(100));
    say_malloc_info();
    say_mallinfo();
    say_trim();
    say_mallopt();
    return 0;
}
