/* locked [late]: all memory of the process is locked, now and in future, at its start or after it has worked.
   A mapping is then resident at once, so an allocator must not map much more than it needs. */
#include <sys/mman.h>

#include "scene.h"

enum { BLOCKS = 2000, BOUND_KIB = 24 * KIB };

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        work(5000, 1);
    }
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        fail("mlockall: %s", strerror(errno));
    }
    size_t before_kib = resident_kib();
    static void *blocks[BLOCKS];
    for (unsigned index = 0; index < BLOCKS; index++) {
        blocks[index] = parcel_new(index);
    }
    for (unsigned index = 0; index < BLOCKS; index += 100) {
        free(realloc(parcel_new(index * 100), index * 200 + 1));
    }
    size_t after_kib = resident_kib();
    for (unsigned index = 0; index < BLOCKS; index++) {
        parcel_free(blocks[index], index);
    }
    work(5000, 2);
    malloc_trim(0);
    work(5000, 3);
    dprintf(STDOUT_FILENO, "%zu KiB for 2 MB of blocks\n", after_kib - before_kib);
    expect(after_kib - before_kib < BOUND_KIB, "little more is resident than is used");
    return 0;
}
