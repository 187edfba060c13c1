/* http_load PORT FILES REQUESTS: connections that ask a server for /0 to /FILES-1, half of the time compressed.
 *
 * Prints the sum over all answers of a checksum of the answer's body: the same for every server that
 * serves the same files well, in whatever pieces it sends them.
 */
#include "load.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECTIONS = 32, ROUNDS_PER_SOCKET = 20 };

/* FNV-1a, 64 bits. */
static const uint64_t CHECKSUM_START = 0xcbf29ce484222325, CHECKSUM_FACTOR = 0x100000001b3;

static unsigned short random_state[CONNECTIONS][3];
static unsigned requests_left[CONNECTIONS];
static unsigned files;
static uint64_t sum;

static uint64_t checksum(uint64_t before, const char *data, size_t bytes)
{
    for (size_t at = 0; at < bytes; at++) {
        before = (before ^ (unsigned char)data[at]) * CHECKSUM_FACTOR;
    }
    return before;
}

static size_t write_request(unsigned number, char *place, size_t room, unsigned *answers)
{
    if (requests_left[number] == 0) {
        return 0;
    }
    requests_left[number]--;
    *answers = 1;
    long random = nrand48(random_state[number]);
    return (size_t)snprintf(
        place, room, "GET /%u HTTP/1.1\r\nHost: localhost\r\nUser-Agent: http_load\r\n%s\r\n",
        (unsigned)(random >> 1) % files, random & 1 ? "Accept-Encoding: gzip\r\n" : "");
}

/* The bytes of a body that comes in chunks, 0 when it is not there whole; its checksum. */
static size_t chunked_body(const char *body, size_t bytes, uint64_t *body_sum)
{
    size_t at = 0;
    *body_sum = CHECKSUM_START;
    while (true) {
        const char *line_end = memchr(body + at, '\n', bytes - at);
        if (line_end == NULL) {
            return 0;
        }
        size_t length = strtoul(body + at, NULL, 16), begin = (size_t)(line_end - body) + 1;
        if (bytes - begin < length + 2) {
            return 0;
        }
        if (memcmp(body + begin + length, "\r\n", 2) != 0) {
            load_fail("a chunk without an end");
        }
        *body_sum = checksum(*body_sum, body + begin, length);
        at = begin + length + 2;
        if (length == 0) {
            return at;
        }
    }
}

static size_t plain_body(const char *head, const char *body, size_t bytes, uint64_t *body_sum)
{
    static const char name[] = "\r\nContent-Length: ";
    const char *field = memmem(head, (size_t)(body - head), name, strlen(name));
    if (field == NULL) {
        load_fail("an answer without a length");
    }
    size_t length = strtoul(field + strlen(name), NULL, 10);
    if (length == 0) {
        load_fail("an empty file");
    }
    if (bytes < length) {
        return 0;
    }
    *body_sum = checksum(CHECKSUM_START, body, length);
    return length;
}

static size_t check_answer(unsigned number, const char *data, size_t bytes)
{
    (void)number;
    const char *head_end = memmem(data, bytes, "\r\n\r\n", 4);
    if (head_end == NULL) {
        return 0;
    }
    if (memcmp(data, "HTTP/1.1 200 ", 13) != 0) {
        load_fail("the server did not answer with a file");
    }
    const char *body = head_end + 4;
    size_t head_bytes = (size_t)(body - data), body_bytes;
    uint64_t body_sum;
    if (memmem(data, head_bytes, "\r\nTransfer-Encoding: chunked\r\n", 30) != NULL) {
        body_bytes = chunked_body(body, bytes - head_bytes, &body_sum);
    } else {
        body_bytes = plain_body(data, body, bytes - head_bytes, &body_sum);
    }
    if (body_bytes == 0) {
        return 0;
    }
    sum += body_sum;
    return head_bytes + body_bytes;
}

int main(int count, char **arguments)
{
    const load_protocol protocol = {.requests = write_request, .answer = check_answer};
    if (count != 4) {
        fputs("usage: http_load PORT FILES REQUESTS\n", stderr);
        return 2;
    }
    files = (unsigned)strtoul(arguments[2], NULL, 10);
    for (unsigned number = 0; number < CONNECTIONS; number++) {
        random_state[number][0] = (unsigned short)number;
        requests_left[number] = ((unsigned)strtoul(arguments[3], NULL, 10) + number) / CONNECTIONS;
    }
    load_run(&(load_plan){.port = (unsigned)strtoul(arguments[1], NULL, 10),
                          .connections = CONNECTIONS,
                          .rounds_per_socket = ROUNDS_PER_SOCKET,
                          .protocol = &protocol});
    printf("checksum %016" PRIx64 "\n", sum);
    return 0;
}
