/* A thread that did not allocate the block frees it twice, with another one between. */
/* expect: free(): double free of {pointer} */
/* late: 24 */
/* late: 1000 */
/* each: 1040 */
/* each: 5000 */
/* each: 100000 */
/* each: 20971520 */
#include "crime.h"

static void *blocks[2];

static void *free_twice(void *unused)
{
    free(blocks[0]);
    free(blocks[1]);
    free(hidden(blocks[0]));
    return unused;
}

int main(int argc, char **argv)
{
    prepare_threads();
    size_t bytes = crime_number(argv[argc - 1]);
    blocks[0] = crime_block(bytes);
    blocks[1] = crime_block(bytes);
    crime_about(blocks[0]);
    in_thread(free_twice, NULL);
    crime_returned();
    return 0;
}
