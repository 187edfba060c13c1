#include "support/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform/misuse.h"

static FILE *file;
static int kept_descriptor;
static char text[4096];

void capture_begin(void)
{
    hp_misuse_set_report_only(true);
    file = tmpfile();
    if (file == NULL) {
        abort();
    }
    kept_descriptor = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
}

const char *capture_end(void)
{
    dup2(kept_descriptor, STDERR_FILENO);
    close(kept_descriptor);
    ssize_t length = pread(fileno(file), text, sizeof text - 1, 0);
    text[length < 0 ? 0 : length] = '\0';
    fclose(file);
    hp_misuse_set_report_only(false);
    return text;
}
