/*
 * team: the same job in several threads that start together.
 *
 * Threads   bench_team_run by one thread at a time; it returns when all members have ended.
 * Ordering  what was written before the run is seen by every member, what members wrote is seen after
 *           it; among themselves members order what they share.
 */
#pragma once

#include <semaphore.h>

enum { BENCH_TEAM_AT_MOST = 4096 };

typedef void bench_job(unsigned member, void *context);

/* Runs job(0, context) .. job(members - 1, context), each in a thread of its own if there is more than
 * one, and else in the caller's. Returns the seconds from the first start behind the common barrier to
 * the last end. */
double bench_team_run(unsigned members, bench_job *job, void *context);

/* sem_wait that no signal ends. */
void bench_wait(sem_t *semaphore);

/* Seconds of the monotonic clock. */
double bench_now(void);
