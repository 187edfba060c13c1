/* realloc of a block that was freed before, to a size that it has room for. */
/* expect: realloc(): double free of {pointer} */
/* check: 24 20 */
/* check: 1000 900 */
/* check: 1040 1030 */
/* check: 5000 4800 */
/* each: 20000 19000 */
/* each: 100000 99000 */
/* each: 20971520 20971000 */
#include "crime.h"

int main(int argc, char **argv)
{
    void *block = crime_block(crime_number(argv[argc - 2]));
    crime_about(block);
    free(block);
    block = hidden(realloc(hidden(block), crime_number(argv[argc - 1])));
    crime_returned();
    return 0;
}
