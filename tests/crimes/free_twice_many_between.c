/* Between the two frees of a block lie frees of so many others of its size that the caches of the thread
   and of its owner have passed it on. */
/* expect: free(): double free of {pointer} */
/* late: 24 7 */
/* late: 24 20 */
/* late: 24 300 */
/* late: 24 20000 */
/* late: 1000 7 */
/* late: 1000 300 */
/* late: 1000 20000 */
/* late: 5000 1000 */
/* each: 9000 1000 */
/* each: 100000 200 */
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
    for (size_t index = 0; index < count; index++) {
        free(others[index]);
    }
    free(hidden(block));
    crime_returned();
    return 0;
}
