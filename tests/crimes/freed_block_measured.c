/* malloc_usable_size of a block that was freed before. */
/* expect: malloc_usable_size(): double free of {pointer} */
/* check: 24 */
/* check: 1000 */
/* check: 1040 */
/* check: 5000 */
/* each: 100000 */
/* each: 20971520 */
#include "crime.h"

int main(int argc, char **argv)
{
    void *block = crime_block(crime_number(argv[argc - 1]));
    crime_about(block);
    free(block);
    crime_call("malloc_usable_size", block);
    crime_returned();
    return 0;
}
