/* realloc moved a block; the old address is then used as if it were still one. */
/* expect: {call}(): double free of {pointer} */
/* expect: free(): double free of {pointer} */
/* expect: {call}(): invalid pointer {pointer} */
/* late: free 24 500 */
/* late: free 1000 9000 */
/* each: free 5000 20000 */
/* each: free 100000 9000000 */
/* each: free 20971520 60000 */
/* each: realloc 5000 20000 */
/* each: realloc 100000 9000000 */
#include "crime.h"

int main(int argc, char **argv)
{
    void *block = crime_block(crime_number(argv[argc - 2]));
    crime_about(block);
    void *moved = realloc(block, crime_number(argv[argc - 1]));
    if (hidden(moved) == hidden(block)) {
        return 3;
    }
    crime_call(argv[argc - 3], hidden(block));
    crime_returned();
    return 0;
}
