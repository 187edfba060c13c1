#include "latency/histogram.h"

#include <math.h>

static void raise(uint64_t *most, uint64_t ticks)
{
    *most = ticks > *most ? ticks : *most;
}

void histogram_end_batch(histogram *self, uint64_t faults, uint64_t preemptions)
{
    raise(&self->most, self->most_of_batch);
    if (faults == 0) {
        raise(&self->most_without_faults, self->most_of_batch);
    }
    if (faults == 0 && preemptions == 0) {
        raise(&self->most_undisturbed, self->most_of_batch);
    }
    self->most_of_batch = 0;
}

void histogram_merge(histogram *self, const histogram *other)
{
    self->samples += other->samples;
    raise(&self->most, other->most);
    raise(&self->most_without_faults, other->most_without_faults);
    raise(&self->most_undisturbed, other->most_undisturbed);
    for (unsigned place = 0; place < HISTOGRAM_COUNTS; place++) {
        self->counts[place] += other->counts[place];
    }
}

static uint64_t largest_at(unsigned place)
{
    if (place < HISTOGRAM_EXACT) {
        return place;
    }
    unsigned power = (place - HISTOGRAM_EXACT) / HISTOGRAM_STEPS + 6;
    uint64_t step = (place - HISTOGRAM_EXACT) % HISTOGRAM_STEPS;
    return ((HISTOGRAM_STEPS + step + 1) << (power - 5)) - 1;
}

uint64_t histogram_percentile(const histogram *self, double share)
{
    uint64_t wanted = (uint64_t)ceil(share * (double)self->samples);
    uint64_t seen = 0;
    for (unsigned place = 0; place < HISTOGRAM_COUNTS; place++) {
        seen += self->counts[place];
        if (seen >= wanted && seen > 0) {
            uint64_t largest = largest_at(place);
            return largest < self->most ? largest : self->most;
        }
    }
    return self->most;
}
