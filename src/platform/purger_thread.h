/*
 * purger_thread: a thread of the library's own, beside those of the program.
 *
 * It is a thread of libc like every other, so that setuid and its kin reach it too. It takes none of the
 * program's signals. A process whose main thread has ended lives until its last thread does: so the library
 * hears of that end, and its thread must not be the one that keeps the process.
 *
 * Owns:        the key by which the end of the main thread is heard of.
 * Invariants:
 *   PT1 a process that libc knows to have one thread is never said to have more.
 * Threads:     any; hp_purger_thread_watch_main by the main thread, once.
 * Ordering:    none of its own; the creation of a thread orders what came before it.
 * Progress:    as pthread_create, which maps a stack and may call malloc: never under a claim.
 * Used by:     purger, front.
 */
#pragma once

#include <stdbool.h>

/* Whether the process has, or had, a second thread. */
bool hp_purger_thread_may_start(void);

/* Runs body in a thread of its own, with every signal blocked; false when the system refuses. errno is kept. */
bool hp_purger_thread_start(void (*body)(void));

/* Once the main thread has left: whether all others have ended too. False when the system does not tell. */
bool hp_purger_thread_is_last(void);

/* The calling thread, the library's own, ends when its body returns and may be the last one of the process. */
void hp_purger_thread_prepare_end(void);

/* When the calling thread ends before the process does, left is called. */
void hp_purger_thread_watch_main(void (*left)(void));

/* In a forked child: the caller is the only thread, whatever libc says. */
void hp_purger_thread_after_fork(void);
