#include "support/interleave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fingerprint {
    uint64_t low;
    uint64_t high;
} fingerprint;

/* The worlds that were reached: open addressing, never more than half full. */
typedef struct world_set {
    fingerprint *places;
    size_t capacity; /* a power of two */
    size_t count;
} world_set;

typedef struct search {
    const interleave_model *model;
    interleave_result *result;
    world_set reached;
    unsigned depth;
    uint8_t schedule[INTERLEAVE_DEPTH];
} search;

static void *take(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static uint64_t mix(uint64_t number)
{
    number = (number ^ number >> 32) * 0xd6e8feb86659fd93u;
    number = (number ^ number >> 29) * 0xd6e8feb86659fd93u;
    return number ^ number >> 32;
}

/* Four sums that do not wait for each other: most of a search's time goes into them. */
enum { LANES = 4, LANE_BYTES = LANES * sizeof(uint64_t) };

static void add_to_lanes(uint64_t *lanes, const uint64_t *words)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t product = (lanes[lane] ^ words[lane]) * 0xd6e8feb86659fd93u;
        lanes[lane] = product << 32 | product >> 32;
    }
}

static fingerprint fingerprint_of(const void *world, size_t bytes)
{
    uint64_t lanes[LANES] = {0x243f6a8885a308d3u, 0x13198a2e03707344u, 0xa4093822299f31d0u,
                             0x082efa98ec4e6c89u};
    for (size_t offset = 0; offset < bytes; offset += LANE_BYTES) {
        uint64_t words[LANES] = {0};
        size_t left = bytes - offset;
        memcpy(words, (const char *)world + offset, left < LANE_BYTES ? left : LANE_BYTES);
        add_to_lanes(lanes, words);
    }
    fingerprint print = {lanes[0], lanes[1]};
    for (unsigned lane = 0; lane < LANES; lane++) {
        print.low = mix(print.low + lanes[lane]);
        print.high = mix(print.high ^ lanes[LANES - 1 - lane]);
    }
    return print;
}

/* False when it was there already. */
static bool insert(world_set *set, fingerprint print)
{
    size_t mask = set->capacity - 1;
    size_t index = print.low & mask;
    while ((set->places[index].low | set->places[index].high) != 0) {
        if (set->places[index].low == print.low && set->places[index].high == print.high) {
            return false;
        }
        index = (index + 1) & mask;
    }
    set->places[index] = print;
    set->count++;
    return true;
}

static void keep_half_empty(world_set *set)
{
    if (2 * set->count < set->capacity) {
        return;
    }
    world_set larger = {.capacity = 2 * set->capacity};
    larger.places = take(larger.capacity, sizeof *larger.places);
    for (size_t index = 0; index < set->capacity; index++) {
        if ((set->places[index].low | set->places[index].high) != 0) {
            insert(&larger, set->places[index]);
        }
    }
    free(set->places);
    *set = larger;
}

static bool is_new(search *state)
{
    keep_half_empty(&state->reached);
    return insert(&state->reached, fingerprint_of(state->model->world, state->model->world_bytes));
}

static bool stop(search *state, const char *broken)
{
    state->result->broken = broken;
    size_t length = 0;
    for (unsigned index = 0; index < state->depth; index++) {
        length += (size_t)snprintf(state->result->schedule + length,
                                   sizeof state->result->schedule - length, "%u ",
                                   state->schedule[index]);
    }
    return false;
}

/* Goes on from the world as it is; false when something is broken, with the world left so. */
static bool explore(search *state)
{
    const interleave_model *model = state->model;
    const char *broken = model->check();
    if (broken != NULL) {
        return stop(state, broken);
    }
    if (!is_new(state)) {
        return true;
    }
    if (state->depth == INTERLEAVE_DEPTH) {
        return stop(state, "the schedule has no end");
    }
    void *before = take(1, model->world_bytes);
    memcpy(before, model->world, model->world_bytes);
    bool sound = true;
    bool moved = false;
    for (unsigned thread = 0; thread < model->thread_count && sound; thread++) {
        if (!model->step(thread)) {
            continue;
        }
        moved = true;
        state->schedule[state->depth++] = (uint8_t)thread;
        sound = explore(state);
        if (sound) {
            state->depth--;
            memcpy(model->world, before, model->world_bytes);
        }
    }
    if (sound && !moved) {
        state->result->ends++;
        broken = model->check_end();
        sound = broken == NULL || stop(state, broken);
        memcpy(model->world, before, model->world_bytes);
    }
    free(before);
    return sound;
}

interleave_result interleave_run(const interleave_model *model)
{
    interleave_result result = {0};
    search state = {.model = model, .result = &result, .reached = {.capacity = 1 << 12}};
    state.reached.places = take(state.reached.capacity, sizeof *state.reached.places);
    model->begin();
    explore(&state);
    result.worlds = state.reached.count;
    free(state.reached.places);
    return result;
}
