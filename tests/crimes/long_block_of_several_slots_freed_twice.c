/* A block above 8 KiB that takes several slots of a slab of smaller ones: the second free is told at once. */
/* expect: free(): double free of {pointer} */
#include "several_slots.h"

int main(void)
{
    char *block = long_block_of_several_slots();
    crime_about(block);
    free(block);
    crime_call("free", block);
    crime_returned();
    return 0;
}
