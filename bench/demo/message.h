/*
 * message: what travels through the pipeline: an envelope and four to six separate blocks.
 *
 *   envelope    24 + 16 bytes for each part: 88..120
 *   headers     1 to 3 blocks, each 24..96 bytes, evenly spread
 *   topic       a string of 9..72 bytes, short ones more often
 *   body        JSON-like: log-normal, median 400, sigma 0.9, cut at 64 and 4,096 bytes
 *   payload     one message in 100 carries a file of 8..64 KiB, evenly spread in the logarithm
 *
 * Both ends also use a scratch buffer of 64..1,024 bytes for each message, as an encoder and a
 * decoder do: made and freed by the same thread. A message is about 1.1 KB in about 5 blocks.
 *
 * Owns: the blocks of a message, from message_make() to message_free().
 * Invariants: every byte of every part holds a pattern made of the message's id and the part's
 *     number; message_check() checks it.
 * Threads: a message belongs to one thread at a time; the queue hands it over.
 * Used by: pipeline.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "worker.h"

enum { MESSAGE_PARTS_MAX = 6 };

typedef struct message_part {
    void *bytes;
    size_t size_bytes;
} message_part;

typedef struct message {
    struct message *next; /* free for whoever has the message */
    uint64_t id;
    uint64_t part_count;
    message_part parts[];
} message;

/* Draws the tables of sizes. Call once, before any thread makes a message. */
void message_prepare_sizes(uint64_t seed);

/* Makes a message of a size drawn from the maker's random numbers, and fills it. */
message *message_make(worker *maker, uint64_t id);

/* Ends the program with a message when a byte is not what message_make() wrote. */
void message_check(const message *subject);

/* Frees the parts and the envelope; `taker` may be any thread. */
void message_free(worker *taker, message *subject);

/* Allocates, fills, checks and frees one scratch buffer. */
void message_use_scratch(worker *self, const message *subject);
