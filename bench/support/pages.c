#include "support/pages.h"

#include "support/result.h"

#include <sys/mman.h>

void *bench_pages(size_t bytes)
{
    void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) {
        bench_fail("no memory for the workload's own records");
    }
    return address;
}

void bench_pages_free(void *address, size_t bytes)
{
    munmap(address, bytes);
}
