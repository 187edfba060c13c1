/* A block is freed, and freed again by the very next call. */
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
    free(hidden(block));
    crime_returned();
    return 0;
}
