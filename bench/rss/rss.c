/*
 * rss: one scenario, and what its memory was at named points.
 *
 *   scenario=burst     which one
 *   scale=1.0          of memory and of work
 *   idle_ms=3000       how long nobody calls malloc or free before the last point: three times hepta's decay_ms
 *   seconds=60         how long the paced ones run
 *   allocates=1        0: idle_threads and block_threads without a call of malloc
 */
#include "rss/gauge.h"
#include "rss/scenarios.h"
#include "support/arguments.h"

static const char names[] =
    "burst service survivors_200 survivors_64 sleeper free_only idle_threads "
    "block_threads churn sawtooth shifting fork_child buffers";
static scenario *const scenarios[] = {
    burst,         service, survivors_200, survivors_64, sleeper,    free_only, idle_threads,
    block_threads, churn,   sawtooth,      shifting,     fork_child, buffers,
};

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "scenario scale idle_ms seconds allocates");
    rss_plan plan = {
        .scale = (double)bench_argument_scaled(argc, argv, 1 << 20) / (1 << 20),
        .idle_ms = (unsigned)bench_argument_within(argc, argv, "idle_ms", 3000, 0, 1 << 20),
        .seconds = (unsigned)bench_argument_within(argc, argv, "seconds", 60, 1, 1 << 20),
        .allocates = bench_argument_within(argc, argv, "allocates", 1, 0, 1) == 1,
    };
    unsigned which = bench_argument_choice(argc, argv, "scenario", "burst", names);
    gauge_open();
    gauge_point("start");
    scenarios[which](&plan);
    return 0;
}
