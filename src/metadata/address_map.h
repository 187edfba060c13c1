/*
 * address_map: what lies at an address, answered without touching the address.
 *
 * The hot map answers free's question for cached classes with one load: a direct-mapped table of
 * 65,536 entries, one per 64 KiB grain. An entry's tag is grain XOR owner << 48, so that
 * `grain ^ tag == mine` says at once that the grain is this slab's and the slab is mine. Two grains
 * 4 GiB apart share an entry: the first keeps it, the other is found in the full map.
 * The full map has two levels, one 64-bit entry per 4 KiB, and answers for every address.
 *
 * Owns:        the hot map, the root and the leaves of the full map.
 * Invariants:
 *   A1  an entry is written before the memory that it describes is handed out, and cleared before the
 *       memory goes back to the arena.
 *   A2  line_offset and slab_distance of a hot entry change only while its tag is 0.
 *   A3  entry 0 stays empty and names no_slab: it is what NULL and its neighbours look up.
 * Threads:     any may look up any address, also a wild one; the holder of the memory sets and clears.
 * Ordering:    P5 (leaf), P6 (full entry), P8 (reuse of a hot entry), P14 (kept leaf). Hot tags otherwise
 *              are relaxed: a thread that frees a chunk got it from the program, which ordered that
 *              after malloc and so after the entry.
 * Progress:    wait-free but for a missing leaf: mapped by whoever needs it, installed with one CAS.
 * Used by:     region, huge, slab, front.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metadata/size_class.h"
#include "platform/compiler.h"

#define HP_OWNER_SHIFT 48u
#define HP_HOT_ENTRIES 65536u

typedef struct hp_hot_map {
    /* What an empty entry names: a record of zeros, of which no address is a slot. */
    HP_LINE_ALIGNED char no_slab[2 * HP_CACHE_LINE_BYTES];
    _Atomic uint64_t tag[HP_HOT_ENTRIES];    /* shared: relaxed, see Ordering */
    uint64_t line_offset[HP_HOT_ENTRIES];    /* of the class's line in a thread's cache; A2 */
    uintptr_t slab_distance[HP_HOT_ENTRIES]; /* from the map itself to the slab's record; A2 */
} hp_hot_map;

extern hp_hot_map hp_hot;

HP_INLINE uint64_t hp_grain_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer >> HP_GRAIN_LOG2;
}

/* Where a thread's cache keeps the line of a class: what free adds to the cache's address. */
#define HP_LINES_OFFSET_BYTES 64u
#define HP_LINE_BYTES 64u

HP_INLINE uint64_t hp_line_offset(unsigned size_class)
{
    return HP_LINES_OFFSET_BYTES + (uint64_t)size_class * HP_LINE_BYTES;
}

HP_INLINE uint64_t hp_owner_tag(uint64_t owner_id)
{
    return owner_id << HP_OWNER_SHIFT;
}

/* Whether grain ^ tag says that the entry is the grain's: equal grains leave only the owner's id. */
HP_INLINE bool hp_hot_is_slab(uint64_t mixed)
{
    return mixed << (64u - HP_OWNER_SHIFT) == 0 && mixed != 0;
}

/* The same where the entry is known not to be the caller's: see A3. */
HP_INLINE bool hp_hot_is_other(uint64_t mixed)
{
    return mixed << (64u - HP_OWNER_SHIFT) == 0;
}

/* The record that entry `index` of the map names. */
HP_INLINE void *hp_hot_record(const hp_hot_map *map, size_t index)
{
    return (void *)((uintptr_t)map + map->slab_distance[index]);
}

/* The slab of a grain if the hot map has it, else NULL. */
HP_INLINE void *hp_hot_slab(uint64_t grain)
{
    size_t index = (uint16_t)grain;
    uint64_t mixed = hp_relaxed_xor(&hp_hot.tag[index], grain);
    return hp_hot_is_slab(mixed) ? hp_hot_record(&hp_hot, index) : NULL;
}

/* True when the grain got its entry; false when another grain holds it, which is no failure. */
bool hp_hot_set(uint64_t grain, uint64_t owner_id, uint64_t line_offset, void *slab);

/* Nobody finds the grain any more, but its entry is no other one's until it is cleared. */
void hp_hot_hide(uint64_t grain);
void hp_hot_clear(uint64_t grain);

/* What a page of the full map holds; records are aligned to 64 bytes, so the kind fits below. */
typedef enum hp_kind {
    HP_KIND_NONE = 0,
    HP_KIND_SLAB = 1,
    HP_KIND_RUN = 2,
    HP_KIND_HUGE = 3
} hp_kind;

typedef uint64_t hp_entry;
#define HP_MAP_PAGE_BYTES ((size_t)4096) /* what one entry of the full map stands for */
#define HP_KIND_MASK 3u

/* A block of ours lay here and was freed; its kind is HP_KIND_NONE. */
#define HP_ENTRY_FREED ((hp_entry)4)

HP_INLINE hp_kind hp_entry_kind(hp_entry entry)
{
    return (hp_kind)(entry & HP_KIND_MASK);
}

HP_INLINE void *hp_entry_record(hp_entry entry)
{
    return (void *)(uintptr_t)(entry & ~(hp_entry)HP_KIND_MASK);
}

HP_INLINE hp_entry hp_entry_of(hp_kind kind, const void *record)
{
    return (hp_entry)(uintptr_t)record | (hp_entry)kind;
}

/* A run's entry names its region by number and its chunk by handle. */
HP_INLINE hp_entry hp_entry_of_run(uint32_t region, uint32_t chunk)
{
    return (hp_entry)chunk << 32 | (hp_entry)region << 8 | HP_KIND_RUN;
}

HP_INLINE uint32_t hp_entry_region(hp_entry entry)
{
    return (uint32_t)(entry >> 8) & 0xffffffu;
}

HP_INLINE uint32_t hp_entry_chunk(hp_entry entry)
{
    return (uint32_t)(entry >> 32);
}

/*
 * A run that is as long as its class says has the class in its entry. 0: it has none, as those of other lengths.
 * hp_entry_of_run gives it none.
 */
#define HP_RUN_CLASS_SHIFT 2u
#define HP_RUN_CLASS_MASK 63u

_Static_assert(HP_RUN_CLASSES <= HP_RUN_CLASS_MASK, "a class of runs has room below the region");

HP_INLINE hp_entry hp_entry_with_class(hp_entry entry, unsigned size_class)
{
    return size_class == 0 ? entry
                           : entry | (hp_entry)(size_class - HP_CLASSES + 1) << HP_RUN_CLASS_SHIFT;
}

HP_INLINE unsigned hp_entry_class(hp_entry entry)
{
    unsigned code = (unsigned)(entry >> HP_RUN_CLASS_SHIFT) & HP_RUN_CLASS_MASK;
    return hp_entry_kind(entry) != HP_KIND_RUN || code == 0 ? 0 : code + HP_CLASSES - 1;
}

/* The entry of the 4 KiB that the pointer lies in, 0 when nothing of ours lies there. */
hp_entry hp_map_get(const void *pointer);

/* An unused leaf for a range whose place is not known yet, the caller's until it gives it. NULL: the system refuses. */
typedef struct hp_map_leaf hp_map_leaf;
hp_map_leaf *hp_map_take_leaf(void);

/*
 * The range at start gets the leaf if it has none, NULL: there is no range. One that is left over is kept for the next.
 */
void hp_map_give_leaf(hp_map_leaf *leaf, const void *start);

/* Makes sure that entries for the range can be set. False when the system refuses a leaf. */
bool hp_map_reserve(const void *start, size_t bytes);

/*
 * The block at its first page is freed by whoever replaces its entry by HP_ENTRY_FREED. False: somebody
 * else did, or the entry is another one by now.
 */
bool hp_map_retire(const void *start, hp_entry entry);

/* Sets the entries of the range; it was reserved before. */
void hp_map_set(const void *start, size_t bytes, hp_entry entry);
void hp_map_set_page(const void *start, hp_entry entry);
