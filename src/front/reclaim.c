#include "front/reclaim.h"

#include <stdbool.h>

#include "arena/arena.h"
#include "arena/huge.h"
#include "arena/purge.h"
#include "cache/thread.h"
#include "owner/owners.h"
#include "service/purger.h"

size_t hp_reclaim(void)
{
    hp_thread *self = hp_thread_enter();
    if (self != NULL) {
        hp_thread_flush(self);
    }
    bool all_claimed = hp_owners_trim_all();
    size_t bytes =
        hp_owners_trim_pages() + hp_arena_unmap_idle() + hp_arena_purge() + hp_huge_purge();
    if (!all_claimed || hp_purge_dirty_pages() != 0) {
        hp_purger_hurry();
    }
    return bytes;
}
