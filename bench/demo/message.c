#include "message.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIZE_TABLE = 4096,
    BODY_MEDIAN_BYTES = 400,
    BODY_MIN_BYTES = 64,
    BODY_MAX_BYTES = 4096,
    PAYLOAD_MIN_BYTES = 8 << 10,
    PAYLOAD_DOUBLINGS = 3,
    MESSAGES_PER_PAYLOAD = 100,
    SCRATCH_PART = MESSAGE_PARTS_MAX,
};

static const double body_sigma = 0.9;

/* Quantiles of the two distributions: a draw is one look-up, and no mathematics is timed. */
static uint16_t body_sizes_bytes[SIZE_TABLE];
static uint32_t payload_sizes_bytes[SIZE_TABLE];

/* A standard normal number (Box and Muller, 1958). */
static double random_normal(uint64_t *state)
{
    double radius = (double)((random_next(state) >> 11) + 1) * 0x1p-53;
    double angle = (double)(random_next(state) >> 11) * 0x1p-53;
    return sqrt(-2 * log(radius)) * cos(2 * 3.14159265358979323846 * angle);
}

void message_prepare_sizes(uint64_t seed)
{
    uint64_t state = seed;
    for (unsigned i = 0; i < SIZE_TABLE; i++) {
        double body_bytes = BODY_MEDIAN_BYTES * exp(body_sigma * random_normal(&state));
        body_bytes = fmin(fmax(body_bytes, BODY_MIN_BYTES), BODY_MAX_BYTES);
        body_sizes_bytes[i] = (uint16_t)body_bytes;
        double doublings = PAYLOAD_DOUBLINGS * (i + 0.5) / SIZE_TABLE;
        payload_sizes_bytes[i] = (uint32_t)(PAYLOAD_MIN_BYTES * exp2(doublings));
    }
}

static unsigned draw_part_sizes(uint64_t *state, size_t sizes_bytes[MESSAGE_PARTS_MAX])
{
    unsigned count = 0;
    unsigned headers = (unsigned)random_between(state, 1, 3);
    while (count < headers) {
        sizes_bytes[count++] = random_between(state, 24, 96);
    }
    size_t longest_topic_bytes = random_between(state, 9, 72);
    sizes_bytes[count++] = random_between(state, 9, longest_topic_bytes);
    sizes_bytes[count++] = body_sizes_bytes[random_between(state, 0, SIZE_TABLE - 1)];
    if (random_between(state, 1, MESSAGES_PER_PAYLOAD) == 1) {
        sizes_bytes[count++] = payload_sizes_bytes[random_between(state, 0, SIZE_TABLE - 1)];
    }
    return count;
}

static uint64_t pattern_of(uint64_t id, uint64_t part)
{
    return (id * MESSAGE_PARTS_MAX + part + 1) * 0x9e3779b97f4a7c15u;
}

static void fill(void *bytes, size_t size_bytes, uint64_t pattern)
{
    unsigned char *at = bytes;
    size_t words = size_bytes / sizeof pattern;
    for (size_t i = 0; i < words; i++) {
        uint64_t word = pattern + i;
        memcpy(at + i * sizeof word, &word, sizeof word);
    }
    memcpy(at + words * sizeof pattern, &pattern, size_bytes % sizeof pattern);
}

static bool is_filled(const void *bytes, size_t size_bytes, uint64_t pattern)
{
    const unsigned char *at = bytes;
    size_t words = size_bytes / sizeof pattern;
    uint64_t difference = 0;
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, at + i * sizeof word, sizeof word);
        difference |= word ^ (pattern + i);
    }
    return difference == 0 &&
           memcmp(at + words * sizeof pattern, &pattern, size_bytes % sizeof pattern) == 0;
}

static size_t envelope_bytes(uint64_t part_count)
{
    return sizeof(message) + part_count * sizeof(message_part);
}

message *message_make(worker *maker, uint64_t id)
{
    size_t sizes_bytes[MESSAGE_PARTS_MAX];
    unsigned part_count = draw_part_sizes(&maker->random_state, sizes_bytes);
    message *made = worker_malloc(maker, envelope_bytes(part_count));
    made->next = NULL;
    made->id = id;
    made->part_count = part_count;
    for (unsigned i = 0; i < part_count; i++) {
        void *bytes = worker_malloc(maker, sizes_bytes[i]);
        fill(bytes, sizes_bytes[i], pattern_of(id, i));
        made->parts[i] = (message_part){bytes, sizes_bytes[i]};
    }
    return made;
}

static void check(const message *subject, const char *what, bool intact)
{
    if (!intact) {
        fprintf(stderr, "pipeline: message %" PRIu64 ": %s is damaged\n", subject->id, what);
        abort();
    }
}

void message_check(const message *subject)
{
    for (uint64_t i = 0; i < subject->part_count; i++) {
        const message_part *part = &subject->parts[i];
        check(subject, "content",
              is_filled(part->bytes, part->size_bytes, pattern_of(subject->id, i)));
    }
}

void message_free(worker *taker, message *subject)
{
    for (uint64_t i = 0; i < subject->part_count; i++) {
        worker_free(taker, subject->parts[i].bytes, subject->parts[i].size_bytes);
    }
    worker_free(taker, subject, envelope_bytes(subject->part_count));
}

void message_use_scratch(worker *self, const message *subject)
{
    size_t size_bytes = random_between(&self->random_state, 64, 1024);
    uint64_t pattern = pattern_of(subject->id, SCRATCH_PART);
    void *scratch = worker_malloc(self, size_bytes);
    fill(scratch, size_bytes, pattern);
    check(subject, "scratch buffer", is_filled(scratch, size_bytes, pattern));
    worker_free(self, scratch, size_bytes);
}
