#include "memory.h"

#include "stress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *memory_map(size_t bytes)
{
    void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) {
        stress_fail("mmap of %zu bytes for a table: %s", bytes, strerror(errno));
    }
    return address;
}

void memory_unmap(void *address, size_t bytes)
{
    if (munmap(address, bytes) != 0) {
        stress_fail("munmap of a table of %zu bytes: %s", bytes, strerror(errno));
    }
}

/* /proc/self/statm holds page counts: all that is mapped, all that is resident, ... */
static size_t statm_bytes(unsigned field)
{
    char text[256];
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (length <= 0) {
        stress_fail("/proc/self/statm cannot be read: %s", strerror(errno));
    }
    close(file);
    text[length] = '\0';
    char *position = text;
    unsigned long pages = strtoul(position, &position, 10);
    for (unsigned skipped = 0; skipped < field; skipped++) {
        pages = strtoul(position, &position, 10);
    }
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

size_t memory_virtual_bytes(void)
{
    return statm_bytes(0);
}

size_t memory_resident_bytes(void)
{
    return statm_bytes(1);
}
