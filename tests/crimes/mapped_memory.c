/* A pointer that mmap returned, of a size as this allocator maps it as well. */
/* expect: {call}(): invalid pointer {pointer} */
/* each: free 4096 */
/* each: free 20971520 */
/* each: realloc 20971520 */
/* each: malloc_usable_size 20971520 */
#include <sys/mman.h>

#include "crime.h"

int main(int argc, char **argv)
{
    size_t bytes = crime_number(argv[argc - 1]);
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    crime_about(mapped);
    crime_call(argv[argc - 2], mapped);
    crime_returned();
    return mapped == MAP_FAILED;
}
