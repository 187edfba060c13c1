/* Two threads, neither of which allocated the block, free it one after the other. */
/* expect: free(): double free of {pointer} */
/* late: 24 */
/* late: 1000 */
/* late: 1040 */
/* late: 5000 */
/* each: 100000 */
/* each: 20971520 */
#include "crime.h"

int main(int argc, char **argv)
{
    prepare_threads();
    void *block = crime_block(crime_number(argv[argc - 1]));
    crime_about(block);
    in_thread(free_it, block);
    in_thread(free_it, hidden(block));
    crime_returned();
    return 0;
}
