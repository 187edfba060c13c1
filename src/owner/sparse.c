#include "owner/sparse.h"

#include "owner/depot.h"
#include "owner/lists.h"

/* A slab is sparse when so much of it is free. */
#define SPARSE_PART 4u

/* At the slabs of classes, before one more is opened: what survives is spread over all of them. */
#define SPARSE_LOOKS 64u

/* What is free of it is much, and has a hole that is large enough. */
static bool is_sparse(const hp_slab *slab, unsigned slots)
{
    uint32_t free_count = slab->free->free_count;
    return free_count >= slab->slot_count / SPARSE_PART && free_count < slab->slot_count &&
           hp_slab_hole(slab, 0, slots) != HP_NO_HOLE;
}

/* Goes on through the list of the class; the slab that serves it stays with it. NULL: at the end, or no look is left. */
static hp_slab *find_sparse_of_class(hp_owner *owner, unsigned size_class, unsigned slots,
                                     unsigned *looks)
{
    hp_class_slabs *slabs = &owner->classes[size_class];
    hp_slab *slab = slabs->to_mix;
    if (slab == NULL || !hp_list_has(owner, slab, size_class)) {
        /* What waits in packs keeps slabs from being wholly free, which would serve any class as a whole. */
        hp_depot_empty_classes(owner, size_class, size_class + 1);
        slab = slabs->first;
    }
    hp_slab *found = NULL;
    for (; slab != NULL && found == NULL && *looks > 0; --*looks) {
        found = slab != slabs->first && is_sparse(slab, slots) ? slab : NULL;
        slab = slab->free->next;
    }
    slabs->to_mix = slab;
    return found;
}

hp_slab *hp_sparse_find(hp_owner *owner, unsigned wanted, unsigned *slots)
{
    uint32_t bytes = (uint32_t)hp_class_bytes(wanted);
    unsigned size_class = owner->class_to_mix;
    unsigned looks = SPARSE_LOOKS;
    for (unsigned classes = 0; classes < HP_CACHED_CLASSES && looks > 0; classes++) {
        owner->class_to_mix = size_class;
        *slots = hp_block_slots((uint32_t)hp_class_bytes(size_class), bytes);
        if (size_class <= wanted && *slots != 0 &&
            owner->classes[size_class].slab_count >= HP_SLABS_OF_ITS_OWN) {
            hp_slab *slab = find_sparse_of_class(owner, size_class, *slots, &looks);
            if (slab != NULL) {
                return slab;
            }
        }
        size_class = (size_class + 1) % HP_CACHED_CLASSES;
    }
    return NULL;
}

/* Any slab of a class that has such a hole; those that are wholly free went back before. */
static hp_slab *find_any(const hp_class_slabs *slabs, unsigned slots)
{
    hp_slab *slab = slabs->first;
    while (slab != NULL && (slab->free->free_count == slab->slot_count ||
                            hp_slab_hole(slab, 0, slots) == HP_NO_HOLE)) {
        slab = slab->free->next;
    }
    return slab;
}

hp_slab *hp_sparse_find_any(hp_owner *owner, unsigned wanted, unsigned *slots)
{
    uint32_t bytes = (uint32_t)hp_class_bytes(wanted);
    hp_slab *slab = NULL;
    for (unsigned each = 0; each < wanted && each < HP_CACHED_CLASSES && slab == NULL; each++) {
        *slots = hp_block_slots((uint32_t)hp_class_bytes(each), bytes);
        slab = *slots == 0 ? NULL : find_any(&owner->classes[each], *slots);
    }
    return slab;
}
