#include "cache/outbox.h"

#include "owner/inbox.h"
#include "platform/misuse.h"

/* A record is aligned to 64 bytes and has at most 64 words: the word's number fits below. */
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
    self->outbox_bytes = 0;
}

/* The entry for the key: one that has it, else an unused one, else the next victim's, posted first. */
static hp_outbox_entry *find_entry(hp_thread *self, uint64_t key)
{
    hp_outbox_entry *unused = NULL;
    for (unsigned index = 0; index < HP_OUTBOX_ENTRIES; index++) {
        hp_outbox_entry *entry = &self->outbox[index];
        if (entry->key == key) {
            return entry;
        }
        unused = entry->key == 0 ? entry : unused;
    }
    if (unused == NULL) {
        unused = &self->outbox[self->outbox_victim++ % HP_OUTBOX_ENTRIES];
        const hp_slab *slab = (const hp_slab *)(uintptr_t)(unused->key & ~WORD_MASK);
        self->outbox_bytes -= hp_count_bits(unused->bits) * slab->slot_bytes;
        post(unused);
    }
    unused->key = key;
    return unused;
}

void hp_outbox_add(hp_thread *self, hp_slab *slab, unsigned index)
{
    uint64_t key = (uint64_t)(uintptr_t)slab | index / 64;
    uint64_t bit = (uint64_t)1 << (index & 63);
    hp_outbox_entry *entry = &self->outbox[0];
    if (HP_UNLIKELY(entry->key != key)) {
        entry = find_entry(self, key);
    }
    if (HP_UNLIKELY((entry->bits & bit) != 0)) {
        hp_misuse("free()", "double free of", slab->base + (size_t)index * slab->slot_bytes);
        return;
    }
    entry->bits |= bit;
    self->outbox_bytes += slab->slot_bytes;
    if (HP_UNLIKELY(self->outbox_bytes > HP_OUTBOX_LIMIT_BYTES)) {
        hp_outbox_flush(self);
    }
}
