/* Two threads, neither of which allocated the block, free it one after the other. */
/* expect: free(): double free of {pointer} */
/* each: 24 */
/* each: 1000 */
/* each: 1040 */
/* each: 5000 */
/* each: 100000 */
/* each: 20971520 */
/* late */
#include "crime.h"

int main(int argc, char **argv)
{
    void *block = crime_block(crime_number(argv[argc - 1]));
    crime_about(block);
    in_thread(free_it, block);
    in_thread(free_it, hidden(block));
    crime_returned();
    return 0;
}
