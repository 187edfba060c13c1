/* The process has as many mappings as the kernel allows. Blocks of all sizes come and go; none of the calls
   may end the process, what cannot be had is ENOMEM, and what is freed can be had again. Then the mappings
   go, and all is as before. */
#include <sys/mman.h>

#include "scene.h"

enum { PAGE_BYTES = 4096, MOST_MAPS = 1000000, PLACES = 200, STEPS = 20000 };

static struct {
    void *block;
    size_t bytes;
} places[PLACES];

/* Cutting needs two at once; single pages that are not merged take what is left. */
static void use_last_maps(void)
{
    int protection = PROT_READ;
    while (mmap(NULL, PAGE_BYTES, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
        protection ^= PROT_READ;
    }
}

/* One large range, cut into mappings by protecting every second page. */
static char *use_all_maps(size_t *length)
{
    *length = (size_t)MOST_MAPS * PAGE_BYTES;
    char *range =
        mmap(NULL, *length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    expect(range != MAP_FAILED, "address space can be had");
    for (size_t page = 0; page < MOST_MAPS; page += 2) {
        if (mprotect(range + page * PAGE_BYTES, PAGE_BYTES, PROT_READ) != 0) {
            use_last_maps();
            return range;
        }
    }
    fail("the kernel allows too many mappings for this test");
}

static void replace(unsigned place, size_t bytes)
{
    if (places[place].block != NULL) {
        errno = EDOM;
        parcel_check(places[place].block, places[place].bytes);
        free(places[place].block);
        expect(errno == EDOM, "free keeps errno, also when it cannot unmap");
    }
    errno = 0;
    places[place].bytes = bytes;
    places[place].block = parcel_new(bytes);
    expect(places[place].block != NULL || errno == ENOMEM, "a failure is ENOMEM");
}

/* Returns how many of the calls failed. */
static unsigned go_on(unsigned seed, unsigned largest_log2)
{
    unsigned short state[3] = {(unsigned short)seed, 2, 3};
    unsigned failures = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned place = (unsigned)nrand48(state) % PLACES;
        size_t bytes = (size_t)nrand48(state) % ((size_t)2 << nrand48(state) % largest_log2);
        if (place < 20 && step % 10 == 0) {
            bytes = 5000000 + (size_t)nrand48(state) % 5000000;
        }
        replace(place, bytes);
        failures += places[place].block == NULL;
    }
    return failures;
}

static void grow(unsigned place)
{
    size_t bytes = places[place].bytes;
    /* Shrinking may fail as well, as in glibc: the kernel would have to cut a mapping in two. */
    void *grown = realloc(places[place].block, bytes + 3000000);
    if (grown != NULL) {
        places[place].block = grown;
        void *shrunk = realloc(grown, bytes);
        places[place].block = shrunk != NULL ? shrunk : grown;
    }
    parcel_check(places[place].block, bytes);
}

int main(void)
{
    size_t length;
    go_on(1, 20);
    char *range = use_all_maps(&length);
    unsigned failures = go_on(2, 20);
    for (unsigned place = 0; place < PLACES; place++) {
        if (places[place].block != NULL && places[place].bytes > 0) {
            grow(place);
        }
    }
    unsigned small_failures = go_on(3, 10);
    malloc_trim(0);
    munmap(range, length);
    unsigned failures_after = go_on(4, 20);
    dprintf(STDOUT_FILENO, "%u of %d calls failed at the limit\n", failures, STEPS);
    expect(small_failures <= STEPS / 100 + failures, "small blocks can be had from what is there");
    expect(failures_after == 0, "nothing fails once there is room again");
    return 0;
}
