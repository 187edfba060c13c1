/* operator new without any C++ runtime in the process: there is nobody to throw. */
#include <stdint.h>
#include <stdio.h>

void *_Znwm(size_t bytes);
void *_ZnwmRKSt9nothrow_t(size_t bytes, const void *nothrow);
void _ZdlPv(void *pointer);

int main(void)
{
    char *block = _Znwm(100);
    block[99] = 1;
    _ZdlPv(block);
    if (_ZnwmRKSt9nothrow_t(PTRDIFF_MAX, block) != NULL) {
        puts("nothrow new found memory that is not there");
        return 2;
    }
    _Znwm(PTRDIFF_MAX);
    return 3;
}
