/* The address of a live block with one higher bit changed: tables that are indexed by a part of the
   address must compare the rest. */
/* expect: free(): invalid pointer {pointer} */
/* each: 24 32 */
/* each: 24 33 */
/* each: 24 40 */
/* each: 24 46 */
/* each: 24 47 */
/* each: 24 48 */
/* each: 24 49 */
/* each: 24 63 */
/* each: 5000 46 */
/* each: 5000 48 */
/* each: 100000 47 */
/* each: 100000 63 */
/* each: 20971520 48 */
#include "crime.h"

int main(int argc, char **argv)
{
    void *block = crime_block(crime_number(argv[argc - 2]));
    uintptr_t bit = (uintptr_t)1 << crime_number(argv[argc - 1]);
    void *wrong = (void *)((uintptr_t)block ^ bit);
    crime_about(wrong);
    free(hidden(wrong));
    crime_returned();
    return 0;
}
