#include "cache/outbox.h"

#include "owner/inbox.h"
#include "platform/misuse.h"

#define WORD_MASK ((uint64_t)63)

static hp_slab *slab_of(uint64_t key)
{
    return (hp_slab *)(uintptr_t)(key & ~WORD_MASK);
}

/* What the place holds, if anything, goes to its owner; the place is free then. */
static void post(hp_thread *self, size_t place)
{
    uint64_t key = self->outbox_keys[place];
    uint64_t bits = self->outbox_bits[place];
    if (key == 0) {
        return;
    }
    self->outbox_keys[place] = 0;
    self->outbox_bits[place] = 0;
    self->outbox_room += (int64_t)hp_count_bits(bits) * slab_of(key)->slot_bytes;
    hp_inbox_post(slab_of(key), (unsigned)(key & WORD_MASK), bits);
}

void hp_outbox_flush(hp_thread *self)
{
    for (size_t place = 0; place < HP_OUTBOX_PLACES; place++) {
        post(self, place);
    }
}

void hp_outbox_make_room(hp_thread *self)
{
    for (unsigned places = 0; self->outbox_room < HP_OUTBOX_STEP_BYTES; places++) {
        if (HP_UNLIKELY(places == HP_OUTBOX_PLACES)) {
            /* Nothing is left. A slot that was freed twice may have been counted as another class's. */
            self->outbox_room = HP_OUTBOX_BYTES;
            return;
        }
        self->outbox_cursor = (self->outbox_cursor + 1) % HP_OUTBOX_PLACES;
        post(self, self->outbox_cursor);
    }
}

void hp_outbox_add(hp_thread *self, hp_slab *slab, unsigned index)
{
    if (HP_UNLIKELY(hp_slab_joined(slab) != NULL)) {
        hp_inbox_free_now(slab, index);
        return;
    }
    char *chunk = slab->base + (size_t)index * slab->slot_bytes;
    uint64_t grain = hp_grain_of(chunk);
    uint64_t key = hp_outbox_key(slab, index);
    size_t place = hp_outbox_place(grain, index);
    if (self->outbox_keys[place] != key) {
        post(self, place);
    }
    self->outbox_keys[place] = key;
    int64_t room;
    if (HP_UNLIKELY(!hp_outbox_set(self, slab, grain, index, &room))) {
        hp_misuse("free()", "double free of", chunk);
    } else if (HP_UNLIKELY(room < 0)) {
        hp_outbox_make_room(self);
    }
}

const char *hp_outbox_check(const hp_thread *self)
{
    int64_t bytes = 0;
    for (unsigned place = 0; place < HP_OUTBOX_PLACES; place++) {
        uint64_t key = self->outbox_keys[place];
        if ((key == 0) != (self->outbox_bits[place] == 0)) {
            return "Q2: a place of the outbox has a key without bits, or bits without a key";
        }
        if (key != 0) {
            bytes += (int64_t)hp_count_bits(self->outbox_bits[place]) * slab_of(key)->slot_bytes;
        }
    }
    return self->outbox_room == (int64_t)HP_OUTBOX_BYTES - bytes && self->outbox_room >= 0
               ? NULL
               : "Q1: the room of the outbox does not match its content";
}
