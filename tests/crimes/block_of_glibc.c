/* A block that glibc's own malloc returned, as a library opened with RTLD_DEEPBIND would have it. */
/* expect: {call}(): invalid pointer {pointer} */
/* each: free 24 */
/* each: free 5000 */
/* each: free 20971520 */
/* each: realloc 24 */
/* each: malloc_usable_size 24 */
#include <dlfcn.h>

#include "crime.h"

int main(int argc, char **argv)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    void *(*malloc_of_glibc)(size_t) = (void *(*)(size_t))(uintptr_t)dlsym(libc, "malloc");
    void *block = malloc_of_glibc(crime_number(argv[argc - 1]));
    crime_about(block);
    crime_call(argv[argc - 2], block);
    crime_returned();
    return 0;
}
