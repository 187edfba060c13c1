/* A pointer to a function. */
/* expect: {call}(): invalid pointer {pointer} */
/* each: free */
/* each: realloc */
/* each: malloc_usable_size */
#include "crime.h"

int main(int argc, char **argv)
{
    void *code = (void *)(uintptr_t)main;
    crime_about(code);
    crime_call(argv[argc - 1], code);
    crime_returned();
    return 0;
}
