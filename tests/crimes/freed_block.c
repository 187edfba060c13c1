/* realloc or malloc_usable_size of a block that was freed before. */
/* expect: {call}(): double free of {pointer} */
/* expect: {call}(): invalid pointer {pointer} */
/* each: realloc 24 */
/* each: realloc 1000 */
/* each: realloc 1040 */
/* each: realloc 5000 */
/* each: realloc 100000 */
/* each: realloc 20971520 */
/* each: malloc_usable_size 24 */
/* each: malloc_usable_size 1000 */
/* each: malloc_usable_size 1040 */
/* each: malloc_usable_size 5000 */
/* each: malloc_usable_size 100000 */
/* each: malloc_usable_size 20971520 */
/* late */
#include "crime.h"

int main(int argc, char **argv)
{
    void *block = crime_block(crime_number(argv[argc - 1]));
    crime_about(block);
    free(block);
    crime_call(argv[argc - 2], hidden(block));
    crime_returned();
    return 0;
}
