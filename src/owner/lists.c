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

void hp_list_put_first(hp_mixed_list *list, hp_slab *slab)
{
    slab->free->previous = NULL;
    slab->free->next = list->first;
    if (list->first == NULL) {
        list->last = slab;
    } else {
        list->first->free->previous = slab;
    }
    list->first = slab;
}

void hp_list_put_last(hp_mixed_list *list, hp_slab *slab)
{
    if (list->last == NULL) {
        hp_list_put_first(list, slab);
        return;
    }
    slab->free->previous = list->last;
    slab->free->next = NULL;
    list->last->free->next = slab;
    list->last = slab;
}

void hp_list_take_out(hp_mixed_list *list, const hp_slab *slab)
{
    if (list->last == slab) {
        list->last = slab->free->previous;
    }
    hp_list_unlink(&list->first, slab);
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
