/*
 * system: the kernel and the clock, behind one small table of functions.
 *
 * Owns:        the table in use, the page size, whether discards go in batches.
 * Invariants:
 *   S1  no call changes errno.
 *   S2  the page size is a power of two from 4 KiB to 64 KiB.
 * Threads:     any. Tests replace the table while no other thread allocates.
 * Ordering:    none.
 * Progress:    as the kernel's calls; no lock and no allocation of ours.
 * Used by:     storage, address map, region, huge, the services.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/compiler.h"

#define HP_CLOCKS_APART_MS 1000

#define HP_ANYWHERE ((void *)UINTPTR_MAX)

typedef struct hp_address_range {
    void *address;
    size_t bytes;
} hp_address_range;

typedef struct hp_system_calls {
    /* Zeroed, private, readable and writable pages, near the hint if it is not NULL and free. NULL when refused. */
    void *(*map)(void *hint, size_t bytes);
    /* False when refused (the map count can be at its limit); the pages are then still there. */
    bool (*unmap)(void *address, size_t bytes);
    /* The pages read as zeros afterwards and cost no memory. False when refused. */
    bool (*discard)(void *address, size_t bytes);
    /* The same for many ranges, in one call where hp_system_use_batches found one. How many of them, from the first
       on, went; the next one was refused, and what comes after it was not asked for. */
    unsigned (*discard_all)(const hp_address_range *ranges, unsigned count);
    /* Whether core files have the pages of the range. False when refused: a part of it may have changed. */
    bool (*dump)(void *address, size_t bytes, bool wanted);
    /* Grows or shrinks a mapping in place (target NULL), moves its pages over the mapping at target, which
       disappears, or wherever the kernel likes (HP_ANYWHERE). NULL when refused, nothing changed then. */
    void *(*remap)(void *address, size_t old_bytes, size_t new_bytes, void *target);
    /* Bytes of the range's pages that lie in memory now; what was swapped out does not. SIZE_MAX when refused, and
       while the process has one thread the first HP_RESIDENT_WITHHELD times. */
    size_t (*resident_bytes)(void *address, size_t bytes);
    /* Milliseconds of a clock that never goes back. */
    uint64_t (*now_ms)(void);
} hp_system_calls;

extern const hp_system_calls hp_system_kernel;
extern const hp_system_calls *hp_system;

/*
 * A sandbox that kills for a call it does not know knows those that malloc usually makes, and mincore is none of them. A
 * small program in it does well without; one that maps so many regions or frees so many large blocks is no such program.
 */
#define HP_RESIDENT_WITHHELD 64u

/*
 * Asks the kernel once whether it discards many ranges by one call. Not before the process has a purger thread: a
 * sandbox that kills for a call it does not know knows madvise, and so a process with one thread makes no other.
 */
void hp_system_use_batches(bool wanted);

/* The page size that the kernel runs with. */
extern _Atomic size_t
    hp_known_page_bytes; /* shared: relaxed, written once; 0: nobody has asked yet */
size_t hp_find_page_bytes(void);

static inline size_t hp_page_bytes(void)
{
    /* relaxed: whoever reads 0 finds the same constant */
    size_t known = atomic_load_explicit(&hp_known_page_bytes, memory_order_relaxed);
    return known != 0 ? known : hp_find_page_bytes();
}

/*
 * Whether so many milliseconds have passed since then; both times are the low bits of the clock. Clocks that threads
 * read can overtake each other a little; what seems to come long after now is so old that the count has wrapped.
 */
static inline bool hp_have_passed(uint32_t ms, uint32_t then_ms, uint32_t now_ms)
{
    int32_t age_ms = (int32_t)(now_ms - then_ms);
    return age_ms >= (int32_t)ms || age_ms < -HP_CLOCKS_APART_MS;
}

/* Pages that hold so many bytes. */
static inline uint32_t hp_pages_of(size_t bytes)
{
    size_t page_bytes = hp_page_bytes();
    return (uint32_t)((bytes + page_bytes - 1) >> hp_lowest_bit(page_bytes));
}

/* Processors that this process may use: the smaller of its affinity mask and its cgroup's cpu.max. */
unsigned hp_usable_processors(void);

static inline size_t hp_round_up(size_t bytes, size_t power_of_two)
{
    return (bytes + power_of_two - 1) & ~(power_of_two - 1);
}

static inline bool hp_is_power_of_two(size_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

/* Whether it lies at a multiple of the power of two. NULL does. */
static inline bool hp_is_aligned(const void *pointer, size_t power_of_two)
{
    return ((uintptr_t)pointer & (power_of_two - 1)) == 0;
}
