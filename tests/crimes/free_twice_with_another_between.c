/* A block is freed, then another one of its size, then the first one again: no look at the top of a
   free list would notice. */
/* expect: free(): double free of {pointer} */
/* late: 24 */
/* late: 1000 */
/* each: 1040 */
/* each: 5000 */
/* each: 100000 */
/* each: 20971520 */
#include "crime.h"

int main(int argc, char **argv)
{
    size_t bytes = crime_number(argv[argc - 1]);
    void *block = crime_block(bytes);
    void *other = crime_block(bytes);
    crime_about(block);
    free(block);
    free(other);
    free(hidden(block));
    crime_returned();
    return 0;
}
