#include "support/team.h"

#include "support/result.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

typedef struct member {
    bench_job *job;
    void *context;
    pthread_barrier_t *start;
    pthread_t thread;
    double begin;
    double end;
    unsigned number;
} member;

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void bench_wait(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0 && errno == EINTR) {
    }
}

/* Each member reads the clock for itself: on a loaded machine the caller may be the last one that
 * comes back from the barrier. */
static void *run(void *argument)
{
    member *self = argument;
    pthread_barrier_wait(self->start);
    self->begin = bench_now();
    self->job(self->number, self->context);
    self->end = bench_now();
    return NULL;
}

static double run_alone(bench_job *job, void *context)
{
    double begin = bench_now();
    job(0, context);
    return bench_now() - begin;
}

double bench_team_run(unsigned members, bench_job *job, void *context)
{
    if (members == 0 || members > BENCH_TEAM_AT_MOST) {
        bench_fail("a team has 1 to 4,096 members");
    }
    if (members == 1) {
        return run_alone(job, context);
    }
    member team[BENCH_TEAM_AT_MOST];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, members);
    for (unsigned i = 0; i < members; i++) {
        team[i] = (member){.job = job, .context = context, .start = &start, .number = i};
        if (pthread_create(&team[i].thread, NULL, run, &team[i]) != 0) {
            bench_fail("no more threads");
        }
    }
    for (unsigned i = 0; i < members; i++) {
        pthread_join(team[i].thread, NULL);
    }
    pthread_barrier_destroy(&start);
    double begin = team[0].begin;
    double end = team[0].end;
    for (unsigned i = 1; i < members; i++) {
        begin = team[i].begin < begin ? team[i].begin : begin;
        end = team[i].end > end ? team[i].end : end;
    }
    return end - begin;
}
