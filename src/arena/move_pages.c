#include "arena/move_pages.h"

#include "metadata/address_map.h"
#include "platform/report.h"
#include "platform/system.h"

/*
 * The kernel chooses where the pages go: that needs no address space for both places at once, and a refusal
 * leaves nothing behind. The place is known only afterwards; the map has kept a leaf for it.
 */
char *hp_move_pages(char *mapping, size_t old_bytes, size_t new_bytes)
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
