/*
 * fake_system: the kernel's calls with refusals that a test chooses, and a clock that a test sets.
 *
 * What is not refused goes to the kernel. A test group uses fake_system_setup for each of its tests,
 * so that every test starts with a system that refuses nothing, and without a purger.
 *
 * Threads     one at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAKE_MAPS_REMEMBERED = 128 };

typedef struct fake_advice {
    const void *address;
    size_t bytes;
} fake_advice;

typedef struct fake_system {
    /* What the test chooses. */
    size_t map_limit_bytes; /* a larger mapping is refused */
    unsigned maps_left;     /* so many mappings, then none */
    bool refuse_unmap;
    bool refuse_discard;
    void (*when_discarding)(void); /* called once, before the next one */
    const void *refuse_discard_at; /* one range, by its start */
    bool refuse_dump;
    bool refuse_growing_in_place; /* a remap that grows and may not move */
    bool refuse_moving;           /* a remap to a target */
    void (*when_refused)(void);   /* called once, at the first mapping that is refused */
    bool ignore_hints;            /* a mapping starts one page off any larger alignment */
    void *place;                  /* where the next mapping goes, once */
    bool refuse_telling;          /* what lies in memory */
    bool born_resident;           /* new pages have memory at once, as under mlockall */
    uint64_t now_ms;
    /* What the library asked for; maps_asked counts on beyond what is remembered. */
    size_t map_bytes[FAKE_MAPS_REMEMBERED];
    unsigned maps_asked;
    unsigned unmaps_asked;
    unsigned discards_asked; /* ranges, each for itself or in a batch */
    unsigned batches_asked;
    unsigned hides_asked; /* from core files */
    unsigned shows_asked;
    fake_advice last_advice; /* of these two */
    size_t discarded_bytes;
    int64_t mapped_bytes; /* granted less given back */
} fake_system;

extern fake_system fake;

int fake_system_setup(void **state);
int fake_system_teardown(void **state);

/* Forgets what was asked for; what is refused stays. */
void fake_system_forget(void);
