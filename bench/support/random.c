#include "support/random.h"

bench_random bench_random_seeded(uint64_t seed)
{
    /* The finaliser of splitmix64 (Steele, Lea and Flood, 2014) is a bijection, so that one seed at
     * most gives 0. */
    uint64_t value = seed + UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    value ^= value >> 31;
    return (bench_random){.state = value != 0 ? value : 1};
}

/* The inverse of the distribution function, which grows from 0 at least to 1 at most + 1 as
 * (1 / least - 1 / size) does. */
size_t bench_random_inverse_square(bench_random *self, size_t least, size_t most)
{
    double from = (double)least;
    double until = (double)most + 1;
    double size = from * until / (until - bench_random_fraction(self) * (until - from));
    return size < until ? (size_t)size : most;
}

/* A power of two by its exponent, then a place above it, evenly. What falls outside is drawn again:
 * that is less than half of the draws as long as most is at least 2 * least. */
size_t bench_random_inverse(bench_random *self, size_t least, size_t most)
{
    unsigned lowest = 63 - (unsigned)__builtin_clzll(least);
    unsigned highest = 63 - (unsigned)__builtin_clzll(most);
    for (;;) {
        size_t power = (size_t)1 << bench_random_between(self, lowest, highest);
        size_t size = power + bench_random_below(self, power);
        if (size >= least && size <= most) {
            return size;
        }
    }
}
