/*
 * gauge: what a scenario tells of its process: how many bytes are live, for whoever observes it from outside,
 * and a line on stdout at named points.
 *
 * Nothing here calls malloc or free, so that it neither changes what it measures nor wakes an allocator.
 *
 * Owns        the page that bench/runner/watch.c shares with the process; one of its own if nobody watches.
 * Threads     any, after gauge_open().
 */
#pragma once

#include <stddef.h>

void gauge_open(void);

/* Live are the blocks that the program has not freed, and the touched pages of its own tables. */
void gauge_live_add(size_t bytes);
void gauge_live_take(size_t bytes);

/* Prints `point=NAME ms=8 rss_kib=9 live_kib=7 dirty_kib=6 maps=31`: milliseconds since gauge_open(), resident
 * and private dirty memory and the number of mappings of the process that calls. */
void gauge_point(const char *name);

/* The same with a number behind the name: quiet3. */
void gauge_numbered_point(const char *name, unsigned number);

/* Returns at that many milliseconds after gauge_open(), or at once if they are over. */
void gauge_wait_until(double ms);

/* A span in which the caller does nothing: what happens in it is the clock's doing. */
void gauge_idle(unsigned ms);

double gauge_now_ms(void);
