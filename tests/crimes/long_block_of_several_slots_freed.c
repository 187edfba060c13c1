/* A block above 8 KiB that takes several slots of a slab of smaller ones: any call about it after its free is told at
   once. */
/* expect: {call}(): double free of {pointer} */
/* each: free */
/* each: malloc_usable_size */
#include "several_slots.h"

int main(int argc, char **argv)
{
    char *block = long_block_of_several_slots();
    crime_about(block);
    free(block);
    crime_call(argv[argc - 1], block);
    crime_returned();
    return 0;
}
