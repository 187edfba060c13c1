#include "service/decay.h"

#include <stddef.h>

/* The curve's values are multiples of 1 / SCALE: exact, so that the last page goes at its time. */
#define STEPS ((uint64_t)HP_DECAY_STEPS)
#define SCALE (STEPS * STEPS * STEPS * STEPS * STEPS)

_Static_assert(SCALE <= UINT64_MAX / HP_DECAY_MOST_PAGES, "a share of the most pages fits");

/*
 * 1 - s(x) for s(x) = 6x^5 - 15x^4 + 10x^3 at x = age / STEPS, times SCALE: from 1 to 0 with slope and
 * curvature 0 at both ends (Perlin, "Improving Noise", 2002).
 */
static uint64_t share_at(uint64_t age_steps)
{
    uint64_t cube = age_steps * age_steps * age_steps;
    return SCALE - cube * (6 * age_steps * age_steps + 10 * STEPS * STEPS - 15 * STEPS * age_steps);
}

static uint64_t lesser(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

void hp_decay_begin(hp_decay *decay, int64_t decay_ms, uint64_t now_ms)
{
    *decay = (hp_decay){.decay_ms = decay_ms, .step_start = now_ms * STEPS};
}

/* The steps that have ended since the last look. */
static uint64_t pass_steps(hp_decay *decay, uint64_t now_ms)
{
    uint64_t now = now_ms * STEPS;
    uint64_t step = (uint64_t)decay->decay_ms;
    if (now < decay->step_start + step) {
        return 0;
    }
    uint64_t steps = (now - decay->step_start) / step;
    decay->step_start += steps * step;
    return steps;
}

static void grow_older(hp_decay *decay, uint64_t steps)
{
    for (uint64_t age = STEPS; age-- > 0;) {
        decay->arrived_pages[age] = age >= steps ? decay->arrived_pages[age - steps] : 0;
    }
}

static uint64_t allowed_pages(const hp_decay *decay)
{
    uint64_t pages = 0;
    for (uint64_t step = 0; step < STEPS; step++) {
        /* Rounded up: a single page stays to the end. */
        pages += (decay->arrived_pages[step] * share_at(step + 1) + SCALE - 1) / SCALE;
    }
    return pages;
}

uint64_t hp_decay_due(hp_decay *decay, uint64_t now_ms, uint64_t dirty_pages)
{
    if (decay->decay_ms <= 0) {
        return decay->decay_ms == 0 ? dirty_pages : 0;
    }
    dirty_pages = lesser(dirty_pages, HP_DECAY_MOST_PAGES);
    uint64_t steps = pass_steps(decay, now_ms);
    if (steps > 0) {
        grow_older(decay, steps);
        /* When nobody looked for long, it is not known when they came: as late as possible. */
        decay->arrived_pages[0] =
            dirty_pages > decay->known_pages ? dirty_pages - decay->known_pages : 0;
        decay->allowed_pages = allowed_pages(decay);
        decay->known_pages = dirty_pages;
    }
    /* Those that came in the current step are as young as can be: not due, whatever may stay. */
    uint64_t known = lesser(decay->known_pages, dirty_pages);
    return known > decay->allowed_pages ? known - decay->allowed_pages : 0;
}

void hp_decay_settle(hp_decay *decay, uint64_t left_pages)
{
    uint64_t known = lesser(decay->known_pages, left_pages);
    /* Below what may stay there is room for pages that came and went before: they are no arrivals. */
    decay->known_pages = known > decay->allowed_pages ? known : decay->allowed_pages;
}

uint32_t hp_decay_step_ms(const hp_decay *decay)
{
    int64_t decay_ms = decay->decay_ms == HP_DECAY_NEVER ? HP_DECAY_MOST_MS : decay->decay_ms;
    int64_t step_ms = decay_ms / (int64_t)HP_DECAY_STEPS;
    return step_ms < 1 ? 1 : (uint32_t)step_ms;
}

const char *hp_decay_check(const hp_decay *decay)
{
    uint64_t arrived_pages = 0;
    for (uint64_t step = 0; step < STEPS; step++) {
        arrived_pages += decay->arrived_pages[step];
        if (share_at(step + 1) >= share_at(step)) {
            return "DE2: the curve does not fall";
        }
    }
    if (share_at(0) != SCALE || share_at(STEPS) != 0) {
        return "DE2: the curve does not lead from 1 to 0";
    }
    return decay->allowed_pages <= arrived_pages ? NULL : "DE1: more may stay than arrived";
}
