/* Between the two frees of a block lie 100,000 other calls with blocks of its size and of other sizes. At
   the end of them all blocks are free again, this one too, whoever had it in between. */
/* expect: free(): double free of {pointer} */
/* expect: free(): invalid pointer {pointer} */
/* late: 24 1 */
/* late: 24 2 */
/* late: 24 3 */
/* late: 200 4 */
/* late: 1000 5 */
/* late: 1040 6 */
/* late: 5000 7 */
/* each: 9000 11 */
/* each: 30000 8 */
/* each: 100000 9 */
/* each: 1000000 10 */
#include "crime.h"

enum { CALLS = 100000, LIVE = 500 };

static void *live[LIVE];

int main(int argc, char **argv)
{
    size_t bytes = crime_number(argv[argc - 2]);
    unsigned short state[3] = {1, 2, (unsigned short)crime_number(argv[argc - 1])};
    void *block = malloc(bytes);
    crime_about(block);
    free(block);
    for (unsigned call = 0; call < CALLS; call++) {
        void **place = &live[(size_t)nrand48(state) % LIVE];
        free(*place);
        size_t other = (size_t)1 << nrand48(state) % 18;
        *place = malloc(call % 3 == 0 ? bytes : other + (size_t)nrand48(state) % other);
    }
    for (unsigned index = 0; index < LIVE; index++) {
        free(live[index]);
    }
    free(hidden(block));
    crime_returned();
    return 0;
}
