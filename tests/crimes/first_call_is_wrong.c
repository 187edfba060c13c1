/* The very first call of a thread is the free of a pointer that is no block. */
/* expect: free(): invalid pointer {pointer} */
#include "crime.h"

static _Alignas(16) char global[64];

int main(void)
{
    crime_about(global);
    in_thread(free_it, global);
    crime_returned();
    return 0;
}
