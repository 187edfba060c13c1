/* A thread that has a cache frees a block of 8 to 256 KiB, which then waits for the next one of its size. */
/* expect: {call}(): double free of {pointer} */
/* each: free 9000 */
/* each: free 32768 */
/* each: free 32769 */
/* each: free 100000 */
/* each: free 262144 */
/* each: malloc_usable_size 9000 */
/* each: malloc_usable_size 100000 */
/* each: realloc 9000 */
/* each: realloc 100000 */
#include "crime.h"

enum { ROUNDS = 1000 };

int main(int argc, char **argv)
{
    size_t bytes = crime_number(argv[argc - 1]);
    for (unsigned round = 0; round < ROUNDS; round++) {
        free(crime_block(bytes));
    }
    void *block = crime_block(bytes);
    void *other = crime_block(bytes);
    crime_about(block);
    free(block);
    free(other);
    crime_call(argv[argc - 2], block);
    crime_returned();
    return 0;
}
