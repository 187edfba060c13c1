#include "front/block.h"

#include "arena/arena.h"
#include "arena/large.h"
#include "cache/thread.h"
#include "owner/inbox.h"
#include "owner/singles.h"
#include "platform/misuse.h"

void hp_report_pointer(const char *call, hp_entry entry, const void *pointer)
{
    hp_misuse(call, entry == HP_ENTRY_FREED ? "double free of" : "invalid pointer", pointer);
}

/* Bytes of the slot, 0 when none starts there or it is known to be free. */
static size_t usable_slot_bytes(hp_slab *slab, const void *pointer, hp_entry *entry)
{
    uint32_t index = hp_slab_index(slab, pointer);
    if (index == HP_NOT_A_SLOT || hp_slab_is_inside(slab, index)) {
        return 0;
    }
    size_t bytes = hp_slab_block_bytes(slab, index);
    /* A cached class's chunk that was freed is mostly in a line, where no bit tells. */
    bool is_free = hp_is_above_lines(bytes)
                       ? !hp_slab_is_out(slab, index)
                       : hp_self->owner == NULL && hp_inbox_is_free(slab, index);
    if (is_free) {
        *entry = HP_ENTRY_FREED;
        return 0;
    }
    return bytes;
}

size_t hp_usable_bytes(void *pointer, const char *call)
{
    hp_entry entry = hp_map_get(pointer);
    hp_kind kind = hp_entry_kind(entry);
    size_t bytes = 0;
    if (kind == HP_KIND_SLAB) {
        bytes = usable_slot_bytes(hp_entry_record(entry), pointer, &entry);
    } else if (kind != HP_KIND_NONE) {
        bytes = hp_large_usable_bytes(entry, pointer);
    }
    if (bytes == 0) {
        hp_report_pointer(call, entry, pointer);
    }
    return bytes;
}

void *hp_resize_large(hp_entry entry, void *pointer, size_t usable_bytes, size_t bytes)
{
    void *resized = hp_large_resize(entry, pointer, bytes);
    hp_owner *owner = hp_self->owner;
    bool may_grow = hp_entry_kind(entry) == HP_KIND_RUN && bytes > usable_bytes &&
                    bytes <= HP_RUN_MAX_BYTES && owner != NULL;
    if (resized != NULL || !may_grow ||
        !hp_singles_free_neighbour(owner, (char *)pointer + usable_bytes)) {
        return resized;
    }
    return hp_large_resize(entry, pointer, bytes);
}
