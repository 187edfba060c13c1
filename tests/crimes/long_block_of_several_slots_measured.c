/* malloc_usable_size of a block above 8 KiB that takes several slots of a slab of smaller ones, after its free. */
/* expect: malloc_usable_size(): double free of {pointer} */
#include "several_slots.h"

int main(void)
{
    char *block = long_block_of_several_slots();
    crime_about(block);
    free(block);
    crime_call("malloc_usable_size", block);
    crime_returned();
    return 0;
}
