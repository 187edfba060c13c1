#include "support/stderr_text.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int real_stderr = -1;
static int file = -1;

void stderr_capture(void)
{
    real_stderr = dup(STDERR_FILENO);
    file = memfd_create("stderr", 0);
    if (real_stderr < 0 || file < 0 || dup2(file, STDERR_FILENO) < 0) {
        abort();
    }
}

const char *stderr_captured(void)
{
    static char text[16384];
    size_t length = 0;
    dup2(real_stderr, STDERR_FILENO);
    close(real_stderr);
    lseek(file, 0, SEEK_SET);
    for (;;) {
        ssize_t count = read(file, text + length, sizeof text - 1 - length);
        if (count <= 0) {
            break;
        }
        length += (size_t)count;
    }
    close(file);
    text[length] = '\0';
    return text;
}
