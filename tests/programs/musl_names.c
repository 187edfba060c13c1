/* The one name of glibc that Debian's liburcu asks for and musl lacks. */
#include <stdarg.h>
#include <stdio.h>
int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
int __fprintf_chk(FILE *stream, int flag, const char *format, ...)
{
    (void)flag;
    va_list arguments;
    va_start(arguments, format);
    int count = vfprintf(stream, format, arguments);
    va_end(arguments);
    return count;
}
