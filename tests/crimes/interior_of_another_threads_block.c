/* A pointer into a block that another thread allocated. */
/* expect: free(): invalid pointer {pointer} */
/* each: 24 8 */
/* each: 24 16 */
/* each: 1000 16 */
/* each: 5000 16 */
/* each: 100000 4096 */
/* each: 20971520 16 */
#include "crime.h"

int main(int argc, char **argv)
{
    char *block = crime_block(crime_number(argv[argc - 2]));
    char *inside = block + crime_number(argv[argc - 1]);
    crime_about(inside);
    in_thread(free_it, inside);
    crime_returned();
    return 0;
}
