#include "cache/outbox.h"

#include "owner/inbox.h"
#include "platform/misuse.h"

#define WORD_MASK ((uint64_t)63)

static void post(hp_outbox_entry *entry)
{
    hp_slab *slab = (hp_slab *)(uintptr_t)(entry->key & ~WORD_MASK);
    hp_inbox_post(slab, (unsigned)(entry->key & WORD_MASK), entry->bits);
    entry->key = 0;
    entry->bits = 0;
}

void hp_outbox_flush(hp_thread *self)
{
    for (unsigned index = 0; index < HP_OUTBOX_ENTRIES; index++) {
        if (self->outbox[index].key != 0) {
            post(&self->outbox[index]);
        }
    }
    self->outbox_older_bytes = 0;
}

static uint32_t bytes_of(const hp_outbox_entry *entry)
{
    const hp_slab *slab = (const hp_slab *)(uintptr_t)(entry->key & ~WORD_MASK);
    return entry->key == 0 ? 0 : hp_count_bits(entry->bits) * slab->slot_bytes;
}

/* The entry for the key moves to the front; when none has it, the oldest is posted to make room. */
static void bring_to_front(hp_thread *self, uint64_t key)
{
    self->outbox_older_bytes += bytes_of(&self->outbox[0]);
    if (self->outbox_older_bytes > HP_OUTBOX_LIMIT_BYTES) {
        hp_outbox_flush(self);
    }
    unsigned index = 0;
    while (index < HP_OUTBOX_ENTRIES - 1 && self->outbox[index].key != key) {
        index++;
    }
    hp_outbox_entry found = self->outbox[index];
    self->outbox_older_bytes -= bytes_of(&found);
    if (found.key != key) {
        if (found.key != 0) {
            post(&found);
        }
        found = (hp_outbox_entry){.key = key, .bits = 0};
    }
    for (; index > 0; index--) {
        self->outbox[index] = self->outbox[index - 1];
    }
    self->outbox[0] = found;
}

void hp_outbox_add(hp_thread *self, hp_slab *slab, unsigned index)
{
    uint64_t key = hp_outbox_key(slab, index);
    uint64_t bit = (uint64_t)1 << (index & 63);
    if (self->outbox[0].key != key) {
        bring_to_front(self, key);
    }
    if (HP_UNLIKELY((self->outbox[0].bits & bit) != 0)) {
        hp_misuse("free()", "double free of", slab->base + (size_t)index * slab->slot_bytes);
        return;
    }
    self->outbox[0].bits |= bit;
}
