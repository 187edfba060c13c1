#include "owner/lists.h"

void hp_list_link(hp_slab **first, hp_slab *slab)
{
    /* Behind the first, which goes on serving: a slab that just got its first free slot is nearly full. */
    hp_slab *before = *first;
    slab->free->previous = before;
    slab->free->next = before == NULL ? NULL : before->free->next;
    if (before == NULL) {
        *first = slab;
    } else {
        before->free->next = slab;
    }
    if (slab->free->next != NULL) {
        slab->free->next->free->previous = slab;
    }
}

void hp_list_unlink(hp_slab **first, const hp_slab *slab)
{
    hp_slab *previous = slab->free->previous;
    hp_slab *next = slab->free->next;
    if (previous == NULL) {
        *first = next;
    } else {
        previous->free->next = next;
    }
    if (next != NULL) {
        next->free->previous = previous;
    }
}

static unsigned list_of(const hp_slab *slab)
{
    return hp_slab_joined(slab) == NULL
               ? slab->size_class
               : HP_CLASSES + slab->size_class * HP_MIXED_LISTS + slab->free->hole_log2;
}

bool hp_list_has(const hp_owner *owner, const hp_slab *slab, unsigned list)
{
    uint32_t free_count = slab->free->free_count;
    bool is_open = free_count != slab->slot_count || slab == owner->classes[slab->size_class].empty;
    return is_open && free_count > 0 && list_of(slab) == list;
}

unsigned hp_list_from(const hp_owner *owner, unsigned list)
{
    while (list >= HP_CLASSES && list < HP_SLAB_LISTS) {
        unsigned mixed = list - HP_CLASSES;
        unsigned listed = owner->mixed_lists[mixed / HP_MIXED_LISTS] >> mixed % HP_MIXED_LISTS;
        if (listed != 0) {
            return list + hp_lowest_bit(listed);
        }
        list += HP_MIXED_LISTS - mixed % HP_MIXED_LISTS;
    }
    return list;
}
