/* With 600 MiB of address space: what is kept of a freed block must leave room for the program's own mappings. */
#include <sys/mman.h>

#include "scene.h"

enum { IN_USE_MIB = 200, FREED_MIB = 190, OWN_MIB = 300 };

static char *filled_at_its_start(size_t mib)
{
    char *block = malloc(mib << 20);
    expect(block != NULL, "the block is to be had");
    block[0] = 1;
    return block;
}

int main(void)
{
    char *in_use = filled_at_its_start(IN_USE_MIB);
    free(filled_at_its_start(FREED_MIB));
    void *own = mmap(NULL, (size_t)OWN_MIB << 20, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect(own != MAP_FAILED, "the program's own mapping is not refused");
    free(in_use);
    return 0;
}
