/* A block that takes several slots of a slab of smaller ones. */
/* expect: free(): double free of {pointer} */
/* late: free */
#include "several_slots.h"

int main(int argc, char **argv)
{
    char *block = block_of_several_slots();
    crime_about(block);
    free(block);
    crime_call(argv[argc - 1], block);
    crime_returned();
    return 0;
}
