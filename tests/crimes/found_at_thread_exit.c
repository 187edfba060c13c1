/* A thread frees a block of its own twice and ends; the process goes on. What the thread's cache knew is
   found out when the thread ends, not only when the process does. */
/* expect: free(): double free of {pointer} */
/* each: 24 */
/* each: 1000 */
/* each: 1040 */
#include "crime.h"

static size_t bytes;

static void *allocate_and_free_twice(void *unused)
{
    void *block = crime_block(bytes);
    crime_about(block);
    free(block);
    free(hidden(block));
    return unused;
}

int main(int argc, char **argv)
{
    prepare_threads();
    bytes = crime_number(argv[argc - 1]);
    in_thread(allocate_and_free_twice, NULL);
    crime_returned();
    return 0;
}
