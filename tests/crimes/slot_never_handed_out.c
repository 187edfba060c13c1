/* A pointer to where a block could start, right behind one, but none was ever handed out there. */
/* expect: free(): double free of {pointer} */
/* expect: free(): invalid pointer {pointer} */
/* late: 1008 20160 */
/* each: 2048 20480 */
/* each: 100000 102400 */
/* each: 20971520 20971520 */
#include "crime.h"

int main(int argc, char **argv)
{
    char *block = crime_block(crime_number(argv[argc - 2]));
    char *beyond = block + crime_number(argv[argc - 1]);
    crime_about(beyond);
    free(hidden(beyond));
    crime_returned();
    return 0;
}
