/* realloc of a block of 8 to 256 KiB, which a thread that has a cache freed before, to a size that it has room for. */
/* expect: realloc(): double free of {pointer} */
/* each: 9000 8900 */
/* each: 20000 19000 */
/* each: 100000 99000 */
#include "crime.h"

enum { ROUNDS = 1000 };

int main(int argc, char **argv)
{
    size_t bytes = crime_number(argv[argc - 2]);
    for (unsigned round = 0; round < ROUNDS; round++) {
        free(crime_block(bytes));
    }
    void *block = crime_block(bytes);
    crime_about(block);
    free(block);
    block = hidden(realloc(hidden(block), crime_number(argv[argc - 1])));
    crime_returned();
    return 0;
}
