/* A block is freed twice; then many others of its size are freed, so that both entries of it have left the
   thread's cache long before its end. */
/* expect: free(): double free of {pointer} */
/* late: 24 6 */
/* late: 24 14 */
/* late: 24 300 */
/* late: 24 20000 */
/* late: 1000 14 */
/* late: 1000 20000 */
#include "crime.h"

int main(int argc, char **argv)
{
    size_t bytes = crime_number(argv[argc - 2]);
    size_t count = crime_number(argv[argc - 1]);
    void **others = crime_block(count * sizeof *others);
    void *block = crime_block(bytes);
    for (size_t index = 0; index < count; index++) {
        others[index] = crime_block(bytes);
    }
    crime_about(block);
    free(block);
    free(hidden(block));
    for (size_t index = 0; index < count; index++) {
        free(others[index]);
    }
    crime_returned();
    return 0;
}
