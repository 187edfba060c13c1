/* A pointer to a local variable. */
/* expect: {call}(): invalid pointer {pointer} */
/* each: free */
/* each: realloc */
/* each: malloc_usable_size */
#include "crime.h"

int main(int argc, char **argv)
{
    _Alignas(64) char local[256] = {0};
    crime_about(local);
    crime_call(argv[argc - 1], local);
    crime_returned();
    return local[0];
}
