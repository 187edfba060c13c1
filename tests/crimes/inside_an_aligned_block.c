/* A program that aligned by hand frees the aligned address, which is inside the block. */
/* expect: free(): invalid pointer {pointer} */
/* each: 5000 */
/* each: 70000 */
/* each: 9000000 */
#include "crime.h"

int main(int argc, char **argv)
{
    char *block = crime_block(crime_number(argv[argc - 1]));
    char *aligned = (char *)(((uintptr_t)block + 4096) & ~(uintptr_t)4095) + 64;
    crime_about(aligned);
    free(hidden(aligned));
    crime_returned();
    return 0;
}
