/* A pointer to nowhere: unmapped, not canonical, odd, at either end of the address space. */
/* expect: {call}(): invalid pointer {pointer} */
/* each: free 0x1 */
/* each: free 0x10 */
/* each: free 0xfff0 */
/* each: free 0x10000 */
/* each: free 0x100000000 */
/* each: free 0xdeadbeefdeadbeef */
/* each: free 0xffffffffffffffff */
/* each: free 0xfffffffffffffff0 */
/* each: free 0x7ffffffff000 */
/* each: free 0x800000000000 */
/* each: free 0x4141414141414140 */
/* each: realloc 0x10 */
/* each: realloc 0xdeadbeefdeadbeef */
/* each: realloc 0xffffffffffffffff */
/* each: malloc_usable_size 0x10 */
/* each: malloc_usable_size 0xdeadbeefdeadbeef */
/* each: malloc_usable_size 0xffffffffffffffff */
#include "crime.h"

int main(int argc, char **argv)
{
    void *wild = (void *)(uintptr_t)crime_number(argv[argc - 1]);
    crime_about(wild);
    crime_call(argv[argc - 2], wild);
    crime_returned();
    return 0;
}
