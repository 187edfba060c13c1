#include "owner/singles.h"

#include "arena/large.h"
#include "owner/depot.h"
#include "owner/room.h"

/* The rooms of all threads together hold no more than a fourth of what there is. */
static uint32_t most_room_bytes(const hp_owner *owner)
{
    /* relaxed: bounds that move when another owner or thread comes; what is above them goes at its time */
    uint32_t bound = atomic_load_explicit(&owner->single_bound_bytes, memory_order_relaxed);
    return bound / 4 / (hp_owner_threads(owner) + 1);
}

void hp_singles_give_back(hp_owner *owner, uint32_t bytes)
{
    hp_room_give_back(&owner->single_bytes, bytes);
}

HP_SLOW bool hp_singles_get_room(hp_owner *owner, hp_singles_room *room, uint32_t bytes)
{
    /* relaxed: a bound that moves */
    uint32_t bound = atomic_load_explicit(&owner->single_bound_bytes, memory_order_relaxed);
    room->most_bytes = most_room_bytes(owner);
    uint32_t step = hp_room_step(room->most_bytes, bytes);
    if (!hp_room_get(&owner->single_bytes, bound, step)) {
        return false;
    }
    room->bytes += step;
    return true;
}

HP_SLOW void hp_singles_ease_room(hp_owner *owner, hp_singles_room *room)
{
    room->most_bytes = most_room_bytes(owner);
    if (room->bytes > room->most_bytes) {
        hp_singles_give_back(owner, room->bytes - room->most_bytes / 2);
        room->bytes = room->most_bytes / 2;
    }
}

void hp_singles_empty_room(hp_owner *owner, hp_singles_room *room)
{
    hp_singles_give_back(owner, room->bytes);
    room->bytes = 0;
}

void hp_single_free_run(const hp_single *single)
{
    hp_large_free_run(single->entry);
}

bool hp_singles_have_runs(const hp_owner *owner)
{
    unsigned size_class = HP_CLASSES;
    while (size_class < HP_DEPOT_CLASSES && !hp_depot_has(owner, size_class)) {
        size_class++;
    }
    return size_class < HP_DEPOT_CLASSES;
}

void hp_singles_free_runs(hp_owner *owner)
{
    hp_depot_empty_classes(owner, HP_CLASSES, HP_DEPOT_CLASSES);
}

bool hp_singles_free_neighbour(hp_owner *owner, const void *end)
{
    if (hp_map_get(end) != HP_ENTRY_FREED || !hp_singles_have_runs(owner)) {
        return false;
    }
    hp_singles_free_runs(owner);
    return true;
}

static uint64_t packed_bytes(const hp_owner *owner)
{
    return hp_depot_packed_bytes(owner, HP_CACHED_CLASSES, HP_DEPOT_CLASSES);
}

void hp_singles_recount(hp_owner *owner, uint32_t room_bytes)
{
    /* relaxed: there is one thread */
    atomic_store_explicit(&owner->single_bytes, packed_bytes(owner) + room_bytes,
                          memory_order_relaxed);
}

const char *hp_singles_check(const hp_owner *owner)
{
    /* relaxed: nobody changes it */
    uint64_t counted = atomic_load_explicit(&owner->single_bytes, memory_order_relaxed);
    return packed_bytes(owner) <= counted
               ? NULL
               : "SI1: the depot holds more bytes of singles than were counted";
}
