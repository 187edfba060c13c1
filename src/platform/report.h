/*
 * report: one line on stderr, written without allocating.
 *
 * Owns:        nothing; a message is built on the caller's stack.
 * Invariants:  none.
 * Threads:     any, also in a signal handler; one write(2) per line keeps lines whole.
 * Ordering:    none.
 * Progress:    wait-free but for the write itself. errno is kept.
 * Used by:     misuse, options, statistics.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "platform/compiler.h"

typedef struct hp_message {
    size_t length;
    char text[512];
} hp_message;

/* Starts a message with "hepta: ". What does not fit is cut off. */
void hp_message_begin(hp_message *message);
void hp_message_text(hp_message *message, const char *text);
void hp_message_bytes(hp_message *message, const char *text, size_t length);
void hp_message_decimal(hp_message *message, uint64_t number);
void hp_message_pointer(hp_message *message, const void *pointer);

/* Appends the newline and writes the line to stderr. */
void hp_message_send(hp_message *message);

/* An invariant does not hold: names it and aborts. */
HP_NORETURN void hp_broken(const char *module, const char *invariant);
