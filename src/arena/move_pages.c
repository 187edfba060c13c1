#include "arena/move_pages.h"

#include "metadata/address_map.h"
#include "platform/report.h"
#include "platform/system.h"

/*
 * The kernel chooses where the pages go. That needs no address space for both at once, but the place is
 * known only afterwards; the map has kept a leaf for it.
 */
static char *move_anywhere(char *mapping, size_t old_bytes, size_t new_bytes)
{
    if (!hp_map_keep_leaf()) {
        return NULL;
    }
    char *moved = hp_system->remap(mapping, old_bytes, new_bytes, HP_ANYWHERE);
    if (moved != NULL && !hp_map_reserve(moved, 1)) {
        hp_broken("huge", "the leaf that was kept for a moved mapping is gone");
    }
    return moved;
}

/* To a fresh range whose map entry can be set. */
static char *move_to_target(char *mapping, char *target, size_t old_bytes, size_t new_bytes)
{
    if (!hp_map_reserve(target, 1)) {
        hp_system->unmap(target, new_bytes);
        return NULL;
    }
    /* Of a refusal: some kernels have unmapped the target by now, and somebody else may have got the range. So
       it is left: at worst untouched pages, after a refusal that hardly ever comes. */
    return hp_system->remap(mapping, old_bytes, new_bytes, target);
}

char *hp_move_pages(char *mapping, size_t old_bytes, size_t new_bytes)
{
    char *target = hp_system->map(NULL, new_bytes);
    return target != NULL ? move_to_target(mapping, target, old_bytes, new_bytes)
                          : move_anywhere(mapping, old_bytes, new_bytes);
}
