#include "latency/ticks.h"

#include "support/team.h"

double ticks_per_ns(void)
{
    double begin = bench_now();
    uint64_t ticks = ticks_begin();
    double end;
    do {
        end = bench_now();
    } while (end - begin < 0.1);
    ticks = ticks_end() - ticks;
    return (double)ticks / ((end - begin) * 1e9);
}
