/* A pointer into a block is freed; then come aligned requests of the block's size, for which it will not do. */
/* expect: free(): invalid pointer {pointer} */
/* late: 64 8 */
/* late: 64 16 */
/* late: 1024 16 */
/* each: 4096 16 */
#include "crime.h"

enum { REQUESTS = 20, ENOUGH_FOR_A_CACHE = 1000 };

/* From then on what is freed waits in a line of the thread. */
static void get_a_cache(size_t bytes)
{
    void *blocks[ENOUGH_FOR_A_CACHE];
    for (int index = 0; index < ENOUGH_FOR_A_CACHE; index++) {
        blocks[index] = crime_block(bytes);
    }
    for (int index = 0; index < ENOUGH_FOR_A_CACHE; index++) {
        free(blocks[index]);
    }
}

int main(int argc, char **argv)
{
    size_t bytes = crime_number(argv[argc - 2]);
    get_a_cache(bytes);
    char *block = crime_block(bytes);
    char *inside = block + crime_number(argv[argc - 1]);
    crime_about(inside);
    free(hidden(inside));
    for (int request = 0; request < REQUESTS; request++) {
        char *aligned = hidden(aligned_alloc(bytes, bytes));
        if (aligned == NULL || (uintptr_t)aligned % bytes != 0) {
            return 1;
        }
    }
    crime_returned();
    return 0;
}
