#include "service/statistics.h"

#include <stdatomic.h>
#include <string.h>

#include "arena/arena.h"
#include "arena/huge.h"
#include "cache/thread.h"
#include "metadata/storage.h"
#include "owner/depot.h"
#include "owner/inbox.h"
#include "owner/lists.h"
#include "owner/owners.h"
#include "platform/claim.h"
#include "platform/crossing.h"
#include "platform/system.h"

static _Atomic bool wanted_at_exit; /* shared: relaxed, set once from the options */

void hp_statistics_set_at_exit(bool wanted)
{
    /* relaxed: a choice, nothing depends on its order */
    atomic_store_explicit(&wanted_at_exit, wanted, memory_order_relaxed);
}

bool hp_statistics_at_exit(void)
{
    /* relaxed: a choice, nothing depends on its order */
    return atomic_load_explicit(&wanted_at_exit, memory_order_relaxed);
}

/* Terms that belong to different moments need not add up: what would be below zero is none. */
static uint64_t at_most(uint64_t part, uint64_t whole)
{
    return part < whole ? part : whole;
}

static void take_off(uint64_t *bytes, uint64_t part)
{
    *bytes -= at_most(part, *bytes);
}

static void read_regions(hp_statistics *statistics)
{
    const hp_region *region;
    for (uint32_t number = 0; (region = hp_arena_region_from(&number)) != NULL; number++) {
        /* relaxed: a statistic that the holder of the claim published */
        uint32_t free_pages = atomic_load_explicit(&region->free_pages, memory_order_relaxed);
        /* relaxed: as above */
        uint32_t mapped_pages = atomic_load_explicit(&region->mapped_pages, memory_order_relaxed);
        statistics->regions++;
        statistics->region_bytes += (uint64_t)mapped_pages * hp_page_bytes();
        statistics->region_free_bytes += (uint64_t)free_pages * hp_page_bytes();
    }
}

/* Under the owner's claim. */
static void read_slabs(hp_statistics *statistics, const hp_owner *owner, unsigned size_class)
{
    const hp_class_slabs *slabs = &owner->classes[size_class];
    hp_class_statistics *row = &statistics->classes[size_class];
    size_t slab_bytes = hp_class_slab_bytes(size_class);
    size_t slots_per_slab = slab_bytes / hp_class_bytes(size_class);
    row->slabs += slabs->slab_count;
    row->slots += slabs->slab_count * slots_per_slab;
}

/* The same, of all classes: open slabs and mixed ones. */
static void read_free_slots(hp_statistics *statistics, const hp_owner *owner)
{
    for (unsigned list = 0; list < HP_SLAB_LISTS; list = hp_list_from(owner, list + 1)) {
        const hp_slab *slab = hp_list_first(owner, list);
        for (; slab != NULL; slab = slab->free->next) {
            statistics->classes[slab->size_class].free_slots += slab->free->free_count;
        }
    }
}

/* The same. */
static void read_class(hp_statistics *statistics, const hp_owner *owner, unsigned size_class)
{
    if (size_class < HP_CLASSES) {
        read_slabs(statistics, owner, size_class);
    }
    statistics->classes[size_class].depot_chunks +=
        (uint64_t)hp_depot_count(owner, size_class) * hp_pack_chunks(size_class);
}

static void read_owners(hp_statistics *statistics)
{
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        statistics->owners++;
        statistics->threads += hp_owner_threads(owner);
        if (!hp_claim_try(&owner->claim)) {
            statistics->owners_busy++;
            /* relaxed: statistics */
            statistics->inbox_bytes +=
                atomic_load_explicit(&owner->inbox_bytes, memory_order_relaxed);
            continue;
        }
        statistics->inbox_bytes += hp_inbox_waiting_bytes(owner);
        read_free_slots(statistics, owner);
        for (unsigned size_class = 0; size_class < HP_DEPOT_CLASSES; size_class++) {
            read_class(statistics, owner, size_class);
        }
        hp_claim_release(&owner->claim);
    }
}

static void read_threads(hp_statistics *statistics)
{
    for (const hp_thread *thread = hp_thread_first(); thread != NULL; thread = thread->next) {
        statistics->thread_caches++;
    }
}

static void read_huge(hp_statistics *statistics)
{
    hp_huge_totals huge = hp_huge_count();
    statistics->huge_mappings = huge.mappings;
    statistics->huge_bytes = huge.mapped_bytes;
    statistics->huge_kept_bytes = at_most(huge.kept_bytes, huge.mapped_bytes);
}

static void add_up_classes(hp_statistics *statistics)
{
    for (unsigned size_class = 0; size_class < HP_DEPOT_CLASSES; size_class++) {
        const hp_class_statistics *row = &statistics->classes[size_class];
        uint64_t slab_bytes = row->slabs * hp_class_slab_bytes(size_class);
        uint64_t slot_bytes = hp_class_bytes(size_class);
        statistics->slab_bytes += slab_bytes;
        statistics->slab_free_bytes += slab_bytes - (row->slots - row->free_slots) * slot_bytes;
        statistics->depot_bytes += row->depot_chunks * slot_bytes;
    }
}

static void add_up(hp_statistics *statistics)
{
    add_up_classes(statistics);
    statistics->mapped_bytes =
        statistics->region_bytes + statistics->huge_bytes + statistics->metadata_bytes;
    statistics->region_used_bytes = statistics->region_bytes;
    take_off(&statistics->region_used_bytes, statistics->region_free_bytes);
    take_off(&statistics->region_used_bytes, statistics->slab_free_bytes);
    take_off(&statistics->region_used_bytes, statistics->depot_bytes);
    take_off(&statistics->region_used_bytes, statistics->inbox_bytes);
    statistics->in_use_bytes =
        statistics->region_used_bytes + statistics->huge_bytes - statistics->huge_kept_bytes;
}

void hp_statistics_read(hp_statistics *statistics)
{
    memset(statistics, 0, sizeof *statistics);
    /* Without a section it goes on: records are never unmapped, only what an updater would unlink is. */
    bool observed = hp_observe_begin();
    statistics->metadata_bytes = hp_storage_mapped_bytes();
    read_regions(statistics);
    read_owners(statistics);
    read_threads(statistics);
    read_huge(statistics);
    if (observed) {
        hp_observe_end();
    }
    add_up(statistics);
}
