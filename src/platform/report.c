#include "platform/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void hp_message_bytes(hp_message *message, const char *text, size_t length)
{
    /* One byte stays free for the newline. */
    size_t room = sizeof message->text - 1 - message->length;
    size_t copied = length < room ? length : room;
    for (size_t index = 0; index < copied; index++) {
        /* What came from outside must not steer the terminal, nor look like another line. */
        unsigned char byte = (unsigned char)text[index];
        message->text[message->length++] = byte < ' ' || byte == 127 ? '?' : text[index];
    }
}

void hp_message_begin(hp_message *message)
{
    message->length = 0;
    hp_message_text(message, "hepta: ");
}

void hp_message_text(hp_message *message, const char *text)
{
    hp_message_bytes(message, text, strlen(text));
}

static void append_number(hp_message *message, uint64_t number, unsigned base)
{
    char digits[20];
    size_t used = 0;
    do {
        digits[sizeof digits - ++used] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    hp_message_bytes(message, digits + sizeof digits - used, used);
}

void hp_message_decimal(hp_message *message, uint64_t number)
{
    append_number(message, number, 10);
}

void hp_message_pointer(hp_message *message, const void *pointer)
{
    hp_message_text(message, "0x");
    append_number(message, (uintptr_t)pointer, 16);
}

void hp_message_send(hp_message *message)
{
    int saved_errno = errno;
    message->text[message->length] = '\n';
    size_t total = message->length + 1;
    for (size_t written = 0; written < total;) {
        ssize_t count = write(STDERR_FILENO, message->text + written, total - written);
        if (count > 0) {
            written += (size_t)count;
        } else if (count < 0 && errno == EINTR) {
            continue;
        } else {
            break;
        }
    }
    errno = saved_errno;
}

void hp_broken(const char *module, const char *invariant)
{
    hp_message message;
    hp_message_begin(&message);
    hp_message_text(&message, "internal error in ");
    hp_message_text(&message, module);
    hp_message_text(&message, ": ");
    hp_message_text(&message, invariant);
    hp_message_send(&message);
    abort();
}
