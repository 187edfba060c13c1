/* A pointer to a global variable. */
/* expect: {call}(): invalid pointer {pointer} */
/* each: free */
/* each: realloc */
/* each: malloc_usable_size */
#include "crime.h"

static _Alignas(4096) char global[8192];

int main(int argc, char **argv)
{
    crime_about(global);
    crime_call(argv[argc - 1], global);
    crime_returned();
    return 0;
}
