/* Whole freed blocks are overwritten, and live ones beyond their end, in every size class. That harms the
   program's own data only: a million further calls find every block that was filled later intact. */
/* expect: nothing */
/* each: 1 1000000 */
/* each: 2 1000000 */
#include <sys/mman.h>

#include "crime.h"

enum { SIZES = 112, COPIES = 12, BEYOND_BYTES = 256, LIVE = 4000, PAGE_BYTES = 4096 };

typedef struct block {
    unsigned char *start;
    size_t bytes;
    unsigned char mark;
} block;

static block victims[SIZES * COPIES];
static block live[LIVE];
static unsigned short state[3];

static size_t chance(size_t below)
{
    return (size_t)nrand48(state) % below;
}

static size_t size_of_step(unsigned step)
{
    if (step < 64) {
        return (step + 1) * 16;
    }
    size_t doubling = (size_t)128 << (step - 64) / 8;
    return (9 + (step - 64) % 8) * doubling;
}

static bool is_mapped(const void *address)
{
    unsigned char resident;
    uintptr_t page = (uintptr_t)address & ~(uintptr_t)(PAGE_BYTES - 1);
    return mincore((void *)page, PAGE_BYTES, &resident) == 0;
}

/* Frees all of them in a random order and writes over each one after its free. */
static void write_after_free(void)
{
    for (size_t left = SIZES * COPIES; left > 0; left--) {
        size_t chosen = chance(left);
        block gone = victims[chosen];
        victims[chosen] = victims[left - 1];
        free(gone.start);
        memset(hidden(gone.start), 0x41, gone.bytes);
    }
}

/* From here on writes beyond the end, into whatever of this program lies there. */
static void overflow(const block *victim)
{
    unsigned char *last = victim->start + victim->bytes + BEYOND_BYTES - 1;
    if (is_mapped(last)) {
        memset(hidden(victim->start), 0x41, victim->bytes + BEYOND_BYTES);
    }
}

static void commit(void)
{
    for (size_t index = 0; index < SIZES * COPIES; index++) {
        block *victim = &victims[index];
        victim->start = malloc(size_of_step((unsigned)index % SIZES));
        victim->bytes = malloc_usable_size(victim->start);
        memset(victim->start, 0x42, victim->bytes);
    }
    for (size_t index = 0; index < SIZES * COPIES; index++) {
        overflow(&victims[index]);
    }
    write_after_free();
}

static void fill(block *one)
{
    one->mark = (unsigned char)chance(256);
    memset(one->start, one->mark, one->bytes);
}

static void check(const block *one)
{
    for (size_t at = 0; at<one->bytes; at += one->bytes> 512 ? 61 : 1) {
        if (one->start[at] != one->mark) {
            crime_write("changed\n", 8);
            _exit(3);
        }
    }
}

static void call(block *one)
{
    size_t limit = (size_t)16 << chance(chance(50) == 0 ? 14 : 8);
    size_t bytes = 1 + chance(limit);
    if (one->start != NULL) {
        check(one);
        if (chance(8) == 0) {
            one->start = realloc(one->start, bytes);
            one->bytes = bytes;
            fill(one);
            return;
        }
        free(one->start);
    }
    one->start = malloc(bytes);
    one->bytes = bytes;
    fill(one);
}

int main(int argc, char **argv)
{
    state[0] = (unsigned short)crime_number(argv[argc - 2]);
    size_t calls = crime_number(argv[argc - 1]);
    commit();
    for (size_t done = 0; done < calls; done++) {
        call(&live[chance(LIVE)]);
        if (done == calls / 2) {
            commit();
            malloc_trim(0);
            for (unsigned index = 0; index < LIVE; index++) {
                if (live[index].start != NULL) {
                    fill(&live[index]);
                }
            }
        }
    }
    for (unsigned index = 0; index < LIVE; index++) {
        if (live[index].start != NULL) {
            check(&live[index]);
            free(live[index].start);
        }
    }
    return 0;
}
