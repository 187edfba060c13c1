/* memcached_load PORT ROUNDS: connections that store, read and delete values in memcached, eight requests at a time.
 *
 * Each connection has keys of its own and knows what must be under them, so every answer is checked. The
 * server must have room for all values; none may be thrown out.
 */
#include "load.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONNECTIONS = 32,
    KEYS = 400,
    REQUESTS_PER_ROUND = 8,
    ROUNDS_PER_SOCKET = 100,
    SMALLEST_BYTES = 16,
    SMALLER_DOUBLINGS = 8, /* most values are shorter than 16 << 8, */
    LARGER_DOUBLINGS = 12, /* one in 50 may be longer */
    ONE_IS_LARGER_OF = 50,
    PERCENT_SET = 45,
    PERCENT_GET = 45,
};

typedef enum request_kind { SET, GET, DELETE } request_kind;

/* Nothing is stored where there are no bytes. */
typedef struct value {
    size_t bytes;
    char mark;
} value;

typedef struct request {
    request_kind kind;
    value before; /* what was under the key when it was asked for */
} request;

typedef struct client {
    unsigned short random[3];
    unsigned rounds_left;
    value stored[KEYS];
    request asked[REQUESTS_PER_ROUND];
    unsigned answered;
} client;

static client clients[CONNECTIONS];
static uint64_t answers_checked, bytes_checked;

static size_t below(client *one, size_t bound)
{
    return (size_t)nrand48(one->random) % bound;
}

static value random_value(client *one)
{
    size_t doublings = below(one, ONE_IS_LARGER_OF) == 0 ? LARGER_DOUBLINGS : SMALLER_DOUBLINGS;
    size_t least = (size_t)SMALLEST_BYTES << below(one, doublings);
    return (value){.bytes = least + below(one, least), .mark = (char)('a' + below(one, 26))};
}

static size_t write_request(unsigned number, request *asked, char *place, size_t room)
{
    client *one = &clients[number];
    unsigned key = (unsigned)below(one, KEYS), percent = (unsigned)below(one, 100);
    asked->before = one->stored[key];
    if (percent < PERCENT_SET) {
        asked->kind = SET;
        value fresh = one->stored[key] = random_value(one);
        size_t head =
            (size_t)snprintf(place, room, "set key-%u-%u 0 0 %zu\r\n", number, key, fresh.bytes);
        memset(place + head, fresh.mark, fresh.bytes);
        memcpy(place + head + fresh.bytes, "\r\n", 2);
        return head + fresh.bytes + 2;
    }
    if (percent < PERCENT_SET + PERCENT_GET) {
        asked->kind = GET;
        return (size_t)snprintf(place, room, "get key-%u-%u\r\n", number, key);
    }
    asked->kind = DELETE;
    one->stored[key].bytes = 0;
    return (size_t)snprintf(place, room, "delete key-%u-%u\r\n", number, key);
}

static size_t write_requests(unsigned number, char *place, size_t room, unsigned *answers)
{
    client *one = &clients[number];
    size_t bytes = 0;
    if (one->rounds_left == 0) {
        return 0;
    }
    one->rounds_left--;
    one->answered = 0;
    for (unsigned index = 0; index < REQUESTS_PER_ROUND; index++) {
        bytes += write_request(number, &one->asked[index], place + bytes, room - bytes);
    }
    *answers = REQUESTS_PER_ROUND;
    return bytes;
}

static void check_value(const char *content, const value *expected)
{
    if (content[0] != expected->mark || memcmp(content, content + 1, expected->bytes - 1) != 0 ||
        memcmp(content + expected->bytes, "\r\nEND\r\n", 7) != 0) {
        load_fail("a value has changed");
    }
}

/* The bytes of the answer to a get; its first line is whole. */
static size_t check_got(const char *data, size_t bytes, size_t line_bytes, const value *expected)
{
    if (expected->bytes == 0) {
        if (memcmp(data, "END\r\n", 5) != 0) {
            load_fail("a value where there was none");
        }
        return line_bytes;
    }
    /* VALUE key flags length */
    const char *last_space = memrchr(data, ' ', line_bytes);
    if (memcmp(data, "VALUE", 5) != 0 || last_space == NULL ||
        strtoul(last_space, NULL, 10) != expected->bytes) {
        load_fail("a value is missing or has another length");
    }
    size_t length = expected->bytes;
    if (bytes < line_bytes + length + 7) {
        return 0;
    }
    check_value(data + line_bytes, expected);
    bytes_checked += length;
    return line_bytes + length + 7;
}

static size_t check_answer(unsigned number, const char *data, size_t bytes)
{
    client *one = &clients[number];
    const request *asked = &one->asked[one->answered];
    const char *line_end = memchr(data, '\n', bytes);
    if (line_end == NULL) {
        return 0;
    }
    size_t line_bytes = (size_t)(line_end - data) + 1, answer_bytes = line_bytes;
    if (asked->kind == GET) {
        answer_bytes = check_got(data, bytes, line_bytes, &asked->before);
    } else {
        const char *right = asked->kind == SET         ? "STORED\r\n"
                            : asked->before.bytes == 0 ? "NOT_FOUND\r\n"
                                                       : "DELETED\r\n";
        if (line_bytes != strlen(right) || memcmp(data, right, line_bytes) != 0) {
            load_fail("the server did not do what it was asked");
        }
    }
    one->answered += answer_bytes > 0;
    answers_checked += answer_bytes > 0;
    return answer_bytes;
}

int main(int count, char **arguments)
{
    const load_protocol protocol = {.requests = write_requests, .answer = check_answer};
    if (count != 3) {
        fputs("usage: memcached_load PORT ROUNDS\n", stderr);
        return 2;
    }
    for (unsigned number = 0; number < CONNECTIONS; number++) {
        clients[number].random[0] = (unsigned short)number;
        clients[number].rounds_left = (unsigned)strtoul(arguments[2], NULL, 10);
    }
    load_run(&(load_plan){.port = (unsigned)strtoul(arguments[1], NULL, 10),
                          .connections = CONNECTIONS,
                          .rounds_per_socket = ROUNDS_PER_SOCKET,
                          .protocol = &protocol});
    printf("%" PRIu64 " answers, values of %" PRIu64 " bytes\n", answers_checked, bytes_checked);
    return 0;
}
