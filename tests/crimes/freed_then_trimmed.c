/* All is freed and given back to the system by malloc_trim; then one of the blocks is freed again. */
/* expect: free(): double free of {pointer} */
/* expect: free(): invalid pointer {pointer} */
/* late: 24 */
/* late: 1000 */
/* each: 5000 */
/* each: 100000 */
/* each: 20971520 */
#include "crime.h"

enum { BLOCKS = 200 };

int main(int argc, char **argv)
{
    size_t bytes = crime_number(argv[argc - 1]);
    size_t count = bytes > 1000000 ? 3 : BLOCKS;
    void *blocks[BLOCKS];
    for (size_t index = 0; index < count; index++) {
        blocks[index] = malloc(bytes);
    }
    for (size_t index = 0; index < count; index++) {
        free(blocks[index]);
    }
    malloc_trim(0);
    crime_about(blocks[count / 2]);
    free(hidden(blocks[count / 2]));
    crime_returned();
    return 0;
}
