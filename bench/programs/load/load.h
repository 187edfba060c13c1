/* load: many connections to a server on this machine, each of which asks, waits for the answers, and asks again.
 *
 * One thread serves all connections. What is asked and what is right is the protocol's; the order of one
 * connection's requests is the same in every run.
 */
#pragma once

#include <stddef.h>

typedef struct load_protocol {
    /* Writes the next requests of a connection to `place`, and their number to `answers`; the bytes
     * written, 0 when the connection has no more to ask. */
    size_t (*requests)(unsigned connection, char *place, size_t room, unsigned *answers);
    /* The bytes of the first answer in `data`, 0 when it is not there whole. Fails when it is wrong. */
    size_t (*answer)(unsigned connection, const char *data, size_t bytes);
} load_protocol;

typedef struct load_plan {
    unsigned port;
    unsigned connections;
    unsigned rounds_per_socket; /* then the connection is closed and made anew; 0: never */
    const load_protocol *protocol;
} load_plan;

/* Returns when all connections have no more to ask. Ends the program when the server does not answer. */
void load_run(const load_plan *plan);

/* Says what is wrong and ends the program with status 1. */
void load_fail(const char *what) __attribute__((noreturn));
