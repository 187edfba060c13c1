/* realloc of a block that was freed before. A slot of a slab may be named by the free() inside. */
/* expect: realloc(): double free of {pointer} */
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
    void *block = crime_block(crime_number(argv[argc - 1]));
    crime_about(block);
    free(block);
    block = hidden(realloc(hidden(block), 200));
    crime_returned();
    return 0;
}
