/* A pointer to the second slot of a block that takes several. */
/* expect: {call}(): invalid pointer {pointer} */
/* each: free */
/* each: realloc */
/* each: malloc_usable_size */
#include "several_slots.h"

int main(int argc, char **argv)
{
    char *inside = block_of_several_slots() + SMALL_SLOT_BYTES;
    crime_about(inside);
    crime_call(argv[argc - 1], inside);
    crime_returned();
    return 0;
}
