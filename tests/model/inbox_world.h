/*
 * The world of the model: an owner, its records, and threads with their stacks, all in one piece of
 * memory, so that a copy of its bytes is a copy of its state.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "owner/owner.h"

enum { THREADS = 3, STACK_BYTES = 8192, RECORD_BYTES = 4096 };

typedef struct model_thread {
    _Alignas(64) char stack[STACK_BYTES];
    ucontext_t context;
    bool finished;
} model_thread;

typedef struct model_world {
    model_thread threads[THREADS];
    hp_owner owner;
    _Alignas(64) char records[RECORD_BYTES];
    size_t records_used;
    unsigned chunks_taken;
    unsigned chunks_given_back;
    bool second_life; /* the record of the first slab serves another chunk */
    const char *broken;
} model_world;

extern model_world world;

/* Lets another thread of the model go on; nothing outside of one. */
void model_step(void);
