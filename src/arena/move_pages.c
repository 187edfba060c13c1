#include "arena/move_pages.h"

#include "metadata/address_map.h"
#include "platform/system.h"

/*
 * The kernel chooses where the pages go: that needs no address space for both places at once, and a refusal
 * leaves nothing behind. The place is known only afterwards, when a leaf may be refused: so that is had before.
 */
char *hp_move_pages(char *mapping, size_t old_bytes, size_t new_bytes)
{
    hp_map_leaf *leaf = hp_map_take_leaf();
    if (leaf == NULL) {
        return NULL;
    }
    char *moved = hp_system->remap(mapping, old_bytes, new_bytes, HP_ANYWHERE);
    hp_map_give_leaf(leaf, moved);
    return moved;
}
