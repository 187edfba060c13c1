/* A pointer into a block, not to its start. */
/* expect: {call}(): invalid pointer {pointer} */
/* late: free 24 1 */
/* late: free 24 8 */
/* late: free 24 16 */
/* late: free 64 16 */
/* late: free 1000 1 */
/* late: free 1000 8 */
/* late: free 1000 16 */
/* each: free 5000 1 */
/* each: free 5000 8 */
/* each: free 5000 16 */
/* each: free 5000 4096 */
/* each: free 30000 16 */
/* each: free 100000 1 */
/* each: free 100000 8 */
/* each: free 100000 16 */
/* each: free 100000 4096 */
/* each: free 20971520 1 */
/* each: free 20971520 16 */
/* each: free 20971520 4096 */
/* each: free 20971520 10485760 */
/* late: realloc 24 16 */
/* late: realloc 1000 1 */
/* each: realloc 5000 16 */
/* each: realloc 100000 16 */
/* each: realloc 100000 4096 */
/* each: realloc 20971520 16 */
/* each: realloc 20971520 4096 */
/* late: malloc_usable_size 24 16 */
/* late: malloc_usable_size 1000 1 */
/* each: malloc_usable_size 5000 16 */
/* each: malloc_usable_size 100000 16 */
/* each: malloc_usable_size 100000 4096 */
/* each: malloc_usable_size 20971520 16 */
/* each: malloc_usable_size 20971520 4096 */
#include "crime.h"

int main(int argc, char **argv)
{
    char *block = crime_block(crime_number(argv[argc - 2]));
    char *inside = block + crime_number(argv[argc - 1]);
    crime_about(inside);
    crime_call(argv[argc - 3], inside);
    crime_returned();
    return 0;
}
