#include "block.h"

#include "stress.h"

#include <hepta/hepta.h>
#include <inttypes.h>
#include <string.h>

enum {
    WORD_BYTES = 8,
    WHOLE_UP_TO_BYTES = 4096, /* blocks to here carry the pattern in every byte */
    HEAD_BYTES = 512,
    TAIL_BYTES = 512,
    SAMPLE_BYTES = 16,
    SAMPLE_STEP_BYTES = 4096,
    SAMPLES_AT_MOST = 64,
};

/* What is done to the bytes from..to of a block whose content lies at `content`. */
typedef void span_action(const block *self, unsigned char *content, size_t from, size_t to,
                         const char *when);

static uint64_t word_at(const block *self, size_t offset)
{
    uint64_t base = chance_mix((uintptr_t)self->address ^ chance_mix(self->bytes ^ self->serial));
    return base + offset * UINT64_C(0x9e3779b97f4a7c15);
}

static void fill_span(const block *self, unsigned char *content, size_t from, size_t to,
                      const char *when)
{
    (void)when;
    for (; to - from >= WORD_BYTES; from += WORD_BYTES) {
        uint64_t word = word_at(self, from);
        memcpy(content + from, &word, WORD_BYTES);
    }
    uint64_t last = word_at(self, from);
    memcpy(content + from, &last, to - from);
}

static _Noreturn void report(const block *self, const unsigned char *content, size_t offset,
                             uint64_t found, uint64_t expected, const char *when)
{
    stress_fail("%s: block %p of %zu bytes, serial %#" PRIx64 ", content at %p: the word at %zu is "
                "%#" PRIx64 " instead of %#" PRIx64,
                when, (void *)self->address, self->bytes, self->serial, (const void *)content,
                offset, found, expected);
}

static void check_span(const block *self, unsigned char *content, size_t from, size_t to,
                       const char *when)
{
    uint64_t found;
    for (; to - from >= WORD_BYTES; from += WORD_BYTES) {
        memcpy(&found, content + from, WORD_BYTES);
        if (found != word_at(self, from)) {
            report(self, content, from, found, word_at(self, from), when);
        }
    }
    uint64_t last = word_at(self, from);
    found = last;
    memcpy(&found, content + from, to - from);
    if (found != last) {
        report(self, content, from, found, last, when);
    }
}

/* Applies the action to every span of the pattern that lies below limit_bytes. Spans begin at
 * multiples of a word; where they overlap they agree, for the pattern depends on offsets only. */
static void for_each_span(const block *self, unsigned char *content, size_t limit_bytes,
                          span_action *action, const char *when)
{
    size_t end = limit_bytes < self->bytes ? limit_bytes : self->bytes;
    if (self->bytes <= WHOLE_UP_TO_BYTES) {
        action(self, content, 0, end, when);
        return;
    }
    size_t steps = self->bytes / SAMPLE_STEP_BYTES;
    size_t step_bytes = (steps / SAMPLES_AT_MOST + 1) * SAMPLE_STEP_BYTES;
    size_t tail = (self->bytes - TAIL_BYTES) & ~(size_t)(WORD_BYTES - 1);
    action(self, content, 0, end < HEAD_BYTES ? end : HEAD_BYTES, when);
    for (size_t from = step_bytes; from < end; from += step_bytes) {
        action(self, content, from, end - from < SAMPLE_BYTES ? end : from + SAMPLE_BYTES, when);
    }
    if (tail < end) {
        action(self, content, tail, end, when);
    }
}

void block_fill(const block *self)
{
    for_each_span(self, self->address, self->bytes, fill_span, "");
}

void block_check(const block *self, const char *when)
{
    for_each_span(self, self->address, self->bytes, check_span, when);
}

void block_check_moved(const block *self, const void *address, size_t limit_bytes, const char *when)
{
    unsigned char *content = (unsigned char *)(uintptr_t)address; /* check_span only reads */
    for_each_span(self, content, limit_bytes, check_span, when);
}

block block_adopt(chance *stream, void *address, size_t bytes, size_t alignment_bytes)
{
    if (address == NULL) {
        stress_fail("NULL for %zu bytes aligned to %zu", bytes, alignment_bytes);
    }
    if ((uintptr_t)address % alignment_bytes != 0) {
        stress_fail("%p for %zu bytes is not aligned to %zu", address, bytes, alignment_bytes);
    }
    size_t usable_bytes = hepta_malloc_usable_size(address);
    if (usable_bytes < bytes) {
        stress_fail("%p: usable size %zu is below the request %zu", address, usable_bytes, bytes);
    }
    block self = {.address = address, .bytes = bytes, .serial = chance_next(stream)};
    if (chance_one_in(stream, 8)) {
        self.bytes = usable_bytes;
    }
    block_fill(&self);
    return self;
}

block block_make(chance *stream, size_t bytes)
{
    return block_adopt(stream, hepta_malloc(bytes), bytes, 16);
}

void block_free(const block *self, const char *when)
{
    block_check(self, when);
    hepta_free(self->address);
}
