/* limited as|data MIB SCENARIO BYTES BYTES: the process may have so much address space, or so much private
   memory (which is what strict overcommit limits as well). It fills that with blocks until malloc fails, frees
   them in random order, and fills it again: a failure is ENOMEM, and what was freed can be had again. */
#include <sys/resource.h>

#include "scene.h"

enum { MOST = 2000000, PAGE_BYTES = 4096 };

static void **blocks;

/* The table of blocks is no part of what is measured: it is there before the limit. */
static size_t fill(size_t bytes, size_t count)
{
    size_t filled = 0;
    while (filled < MOST && filled < count) {
        void *block = malloc(bytes);
        if (block == NULL) {
            expect(errno == ENOMEM, "a failure is ENOMEM");
            break;
        }
        memset(block, 1, bytes < PAGE_BYTES ? bytes : PAGE_BYTES);
        blocks[filled++] = block;
    }
    return filled;
}

static void free_some(size_t *count, size_t keep_one_in)
{
    size_t kept = 0;
    for (size_t index = 0; index < *count; index++) {
        if (keep_one_in != 0 && index % keep_one_in == 0) {
            blocks[kept++] = blocks[index];
        } else {
            free(blocks[index]);
        }
    }
    *count = kept;
}

static void shuffle(size_t count)
{
    unsigned short state[3] = {1, 2, 3};
    for (size_t left = count; left > 1; left--) {
        size_t chosen = (size_t)nrand48(state) % left;
        void *block = blocks[chosen];
        blocks[chosen] = blocks[left - 1];
        blocks[left - 1] = block;
    }
}

/* What can be had of a size once all is freed must not shrink from round to round. */
static void fill_again_and_again(size_t bytes, size_t limit_bytes)
{
    size_t first = fill(bytes, MOST);
    if (first * bytes < limit_bytes / 2) {
        fail("of %zu bytes in blocks of %zu only %zu can be had", limit_bytes, bytes,
             first * bytes);
    }
    for (unsigned round = 0; round < 2; round++) {
        size_t count = first;
        shuffle(count);
        free_some(&count, 0);
        size_t again = fill(bytes, MOST);
        if (again < first / 10 * 9) {
            fail("blocks of %zu bytes: first %zu, then %zu", bytes, first, again);
        }
        first = again;
    }
    free_some(&first, 0);
}

/* All memory is in blocks of one size; then blocks of another size must have it. */
static void change_size(size_t bytes, size_t other_bytes, size_t limit_bytes)
{
    size_t count = fill(bytes, MOST);
    shuffle(count);
    free_some(&count, 0);
    count = fill(other_bytes, MOST);
    if (count * other_bytes < limit_bytes / 2) {
        fail("after blocks of %zu bytes, of %zu only %zu", bytes, other_bytes, count * other_bytes);
    }
    free_some(&count, 0);
}

static void *free_all_of_them(void *count)
{
    free_some(count, 0);
    return NULL;
}

/* Another thread frees all of it; this one wants it back at once. */
static void free_by_thread(size_t bytes, size_t limit_bytes)
{
    size_t count = fill(bytes, MOST);
    void *spare = blocks[--count];
    free(spare); /* what pthread_create needs */
    pthread_t thread;
    if (pthread_create(&thread, NULL, free_all_of_them, &count) != 0) {
        free_some(&count, 0);
        return;
    }
    end_thread(thread);
    count = fill(bytes, MOST);
    expect(count * bytes >= limit_bytes / 2, "what another thread freed can be had");
    free_some(&count, 0);
}

/* The calls that need more memory than there is leave what they were given as it was. */
static void fail_well(void)
{
    size_t count = fill(100000, MOST);
    unsigned char *block = blocks[count / 2];
    memset(block, 7, 100000);
    errno = 0;
    expect(realloc(block, 200000000) == NULL && errno == ENOMEM, "realloc fails with ENOMEM");
    expect(block[99999] == 7, "and leaves the block as it was");
    expect(calloc(1000, 200000) == NULL, "calloc fails");
    void *result = block;
    expect(posix_memalign(&result, 4096, 200000000) == ENOMEM && result == block,
           "posix_memalign fails and leaves its result as it was");
    free_some(&count, 0);
}

/* What realloc would like to have in reserve is no reason to fail. */
static void grow_a_little(void)
{
    unsigned char *block = malloc(4096);
    void *room = malloc(4097);
    void *neighbour = malloc(4097);
    expect(block != NULL && room != NULL && neighbour != NULL, "three blocks are there early");
    memset(block, 7, 4096);
    size_t count = fill(5120, MOST);
    free(room);
    unsigned char *grown = realloc(block, 4097);
    expect(grown != NULL, "realloc takes what is enough when there is no more");
    expect(grown[0] == 7 && grown[4095] == 7, "with what was in the block");
    free(grown);
    free(neighbour);
    free_some(&count, 0);
}

int main(int argc, char **argv)
{
    expect(argc == 6, "there are five arguments");
    size_t limit_bytes = strtoull(argv[2], NULL, 10) * MIB;
    size_t bytes = strtoull(argv[4], NULL, 10);
    size_t other_bytes = strtoull(argv[5], NULL, 10);
    blocks = malloc(MOST * sizeof *blocks);
    struct rlimit limit = {limit_bytes, limit_bytes};
    expect(setrlimit(strcmp(argv[1], "as") == 0 ? RLIMIT_AS : RLIMIT_DATA, &limit) == 0,
           "the limit can be set");
    size_t usable_bytes = limit_bytes - MOST * sizeof *blocks - 16 * MIB;
    if (strcmp(argv[3], "again") == 0) {
        fill_again_and_again(bytes, usable_bytes);
    } else if (strcmp(argv[3], "change") == 0) {
        change_size(bytes, other_bytes, usable_bytes);
    } else if (strcmp(argv[3], "thread") == 0) {
        free_by_thread(bytes, usable_bytes);
    } else if (strcmp(argv[3], "grow") == 0) {
        grow_a_little();
    } else {
        fail_well();
    }
    work(5000, 1);
    return 0;
}
