/*
 * Lines of medium classes: few chunks, no depot behind them. A refill takes from a slab, a spill returns the
 * chunks that have been in the line for longest.
 */
#include "cache/refill.h"
#include "owner/inbox.h"

/* How many chunks move at a time: as many then have room in the line as are in it. */
static unsigned step_of(unsigned size_class)
{
    return hp_medium_line_chunks(size_class) / 2 + 1;
}

void *hp_thread_refill_medium(hp_thread *self, unsigned size_class)
{
    hp_owner *owner = hp_thread_claim(self, size_class);
    if (HP_UNLIKELY(owner == NULL)) {
        return NULL;
    }
    if (HP_UNLIKELY(hp_inbox_has_news(owner))) {
        hp_inbox_drain(owner);
    }
    void *chunks[HP_LINE_CHUNKS];
    unsigned wanted = hp_next_refill(self, size_class);
    unsigned step = step_of(size_class);
    unsigned taken = hp_owner_take(owner, size_class, wanted < step ? wanted : step, chunks);
    hp_claim_release(&owner->claim);
    if (HP_UNLIKELY(taken == 0)) {
        return NULL;
    }
    /* The lowest address is handed out first. */
    hp_line *line = &self->lines[size_class];
    while (--taken > 0) {
        hp_line_push(line, chunks[taken]);
    }
    return chunks[0];
}

void hp_thread_spill_medium(hp_thread *self, unsigned size_class, void *chunk)
{
    hp_line *line = &self->lines[size_class];
    unsigned count = hp_medium_line_chunks(size_class);
    unsigned spilled = step_of(size_class);
    void *chunks[HP_LINE_CHUNKS];
    for (unsigned index = 0; index < count; index++) {
        chunks[count - 1 - index] = hp_line_take(line, line->filled);
    }
    for (unsigned index = spilled; index < count; index++) {
        hp_line_push(line, chunks[index]);
    }
    HP_SIGNAL_BARRIER();
    hp_owner *claimed = hp_claim_try(&self->owner->claim) ? self->owner : NULL;
    hp_thread_return(self, claimed, chunks, spilled);
    if (HP_LIKELY(claimed != NULL)) {
        hp_claim_release(&claimed->claim);
    }
    hp_line_push(line, chunk);
}
