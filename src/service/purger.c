#include "service/purger.h"

#include <stdatomic.h>

#include "arena/arena.h"
#include "arena/huge.h"
#include "arena/purge.h"
#include "owner/owners.h"
#include "owner/retire.h"
#include "platform/claim.h"
#include "platform/huge_pages.h"
#include "platform/limit.h"
#include "platform/purger_thread.h"
#include "platform/system.h"
#include "service/decay.h"
#include "service/pressure.h"

/* A pass over an owner begins so often per decay time: what it finds unused twice goes. */
#define PASSES_PER_DECAY 2
/* A run that was freed less than this part of the decay time ago is in use, whatever is due. */
#define YOUNG_PART 8

/* With fewer dirty pages than this the curve is not worth a wakeup for each of its steps: some at once. */
#define FEW_DIRTY_PAGES 1024u
#define STEPS_AT_ONCE 5u

/* Where a limit is to be kept, a look comes at least so often while there is something to give back. */
#define LIMITED_PAUSE_MS 100u

/* What an owner has goes when two looks in a row found it unused. */
#define HURRIED_LOOKS 2u

/* The purger comes back so late at most where another thread does its work. */
#define LONGEST_BUSY_MS 64u

/* No bell tells that the program's last thread has ended: so long may the process outlive it. */
#define OUTLIVE_MS 250u

/* A thread that the system refused is asked for again, and where it is refused ticks do the work. */
#define RETRY_MS 10000u

typedef enum thread_state { THREAD_NONE, THREAD_RUNNING, THREAD_REFUSED } thread_state;

static _Atomic int64_t wanted_ms = HP_DECAY_DEFAULT_MS; /* shared: relaxed, set from the options */
static _Atomic bool thread_wanted = true;               /* shared: relaxed, set from the options */
static _Atomic uint32_t thread;                         /* shared: P20, thread_state */
static _Atomic bool main_has_left;                      /* shared: relaxed */
static _Atomic uint32_t hurried_looks;                  /* shared: relaxed, so many are to come */

/* Of whoever has the role. */
static hp_claim role;
static hp_decay decay;
static bool has_begun;
static uint64_t last_look_ms;
static uint64_t last_try_ms; /* to have a thread */

void hp_purger_set_decay(int64_t decay_ms)
{
    /* relaxed: a number that depends on nothing */
    atomic_store_explicit(&wanted_ms, decay_ms, memory_order_relaxed);
}

void hp_purger_set_thread(bool wanted)
{
    /* relaxed: a choice, nothing depends on its order */
    atomic_store_explicit(&thread_wanted, wanted, memory_order_relaxed);
}

static int64_t wanted_decay_ms(void)
{
    /* relaxed: as above */
    return atomic_load_explicit(&wanted_ms, memory_order_relaxed);
}

/* ---- a look ---- */

/* Mapped, less what is free in regions and clean: more than that is not resident. */
static uint64_t most_resident_bytes(void)
{
    uint64_t clean_pages = 0;
    const hp_region *region;
    for (uint32_t number = 0; (region = hp_arena_region_from(&number)) != NULL; number++) {
        /* relaxed: statistics that the holder of the claim published */
        uint32_t free_pages = atomic_load_explicit(&region->free_pages, memory_order_relaxed);
        /* relaxed: as above */
        uint32_t dirty_pages = atomic_load_explicit(&region->dirty_pages, memory_order_relaxed);
        clean_pages += free_pages > dirty_pages ? free_pages - dirty_pages : 0;
    }
    uint64_t mapped_bytes = hp_limit_mapped_bytes();
    uint64_t clean_bytes = clean_pages * hp_page_bytes();
    return mapped_bytes > clean_bytes ? mapped_bytes - clean_bytes : 0;
}

static bool has_soft_limit(void)
{
    return hp_limit_soft() != HP_NO_LIMIT || hp_pressure_is_followed();
}

/* Neither by its age nor for a limit. */
static bool nothing_ever_goes(void)
{
    return wanted_decay_ms() == HP_DECAY_NEVER && !has_soft_limit();
}

/* A part of the time that what is free may stay: none where it is urgent. */
static uint32_t part_of_decay_ms(bool urgent, int64_t part)
{
    if (urgent) {
        return 0;
    }
    return decay.decay_ms == HP_DECAY_NEVER ? INT32_MAX : (uint32_t)(decay.decay_ms / part);
}

void hp_purger_hurry(void)
{
    /* relaxed: the ring orders it before the look that follows */
    atomic_store_explicit(&hurried_looks, HURRIED_LOOKS, memory_order_relaxed);
    hp_bell_ring();
}

static uint32_t count_hurried_looks(void)
{
    /* relaxed: it was set before the bell was rung, or it is seen the next time */
    return atomic_load_explicit(&hurried_looks, memory_order_relaxed);
}

/* Whether this look is one of them. */
static bool take_hurried_look(void)
{
    if (count_hurried_looks() == 0) {
        return false;
    }
    /* relaxed: only whoever has the role takes one, and a new note is at least as large */
    atomic_fetch_sub_explicit(&hurried_looks, 1, memory_order_relaxed);
    return true;
}

/* Above the soft limit what is free goes at once; the curve goes on with what is left. */
static bool is_urgent(uint64_t now_ms)
{
    uint64_t soft = hp_limit_soft();
    if (hp_pressure_is_followed()) {
        hp_pressure_read(now_ms);
        uint64_t allowed = hp_pressure_allowed_bytes();
        soft = allowed < soft ? allowed : soft;
        if (hp_pressure_is_high()) {
            return true;
        }
    }
    /* A block that was never touched has no memory, which only the kernel knows; it is asked where that matters. */
    return soft != HP_NO_LIMIT && most_resident_bytes() > soft &&
           hp_pressure_resident_bytes() > soft;
}

/* Returns how many steps of the decay the next look may wait. */
static uint32_t look_at_owners(uint32_t now_ms, unsigned portions, bool urgent, bool *remains)
{
    uint32_t steps = STEPS_AT_ONCE;
    uint32_t pass_ms = part_of_decay_ms(urgent, PASSES_PER_DECAY);
    for (hp_owner *owner = hp_owners_first(); owner != NULL; owner = hp_owners_next(owner)) {
        hp_look_end end = hp_owner_look(owner, now_ms, pass_ms, portions);
        *remains = *remains || end != HP_LOOK_DONE;
        steps = end == HP_LOOK_SOON ? 1 : steps;
    }
    return steps;
}

/* The same. */
static uint32_t purge_due_pages(uint64_t now_ms, bool urgent, bool *remains)
{
    hp_purge_settle();
    uint64_t due_pages = hp_decay_due(&decay, now_ms, hp_purge_dirty_pages());
    uint32_t young_ms = part_of_decay_ms(urgent, YOUNG_PART);
    hp_purge_regions(urgent ? UINT64_MAX : due_pages, (uint32_t)now_ms, young_ms, remains);
    uint64_t left_pages = hp_purge_dirty_pages();
    hp_decay_settle(&decay, left_pages);
    return left_pages < FEW_DIRTY_PAGES ? STEPS_AT_ONCE : 1;
}

uint32_t hp_purger_look(uint64_t now_ms, unsigned portions)
{
    bool remains = false;
    if (!has_begun) {
        hp_decay_begin(&decay, wanted_decay_ms(), now_ms);
        has_begun = true;
    }
    last_look_ms = now_ms;
    hp_bell_hear();
    bool hurried = take_hurried_look();
    bool urgent = is_urgent(now_ms) || hurried;
    remains = count_hurried_looks() != 0;
    uint32_t owner_steps = look_at_owners((uint32_t)now_ms, portions, urgent, &remains);
    uint32_t page_steps = purge_due_pages(now_ms, urgent, &remains);
    hp_arena_unmap_spare();
    hp_huge_decay((uint32_t)now_ms, part_of_decay_ms(urgent, 1), &remains);
    uint32_t steps = owner_steps < page_steps ? owner_steps : page_steps;
    uint32_t pause_ms = steps * hp_decay_step_ms(&decay);
    if (has_soft_limit() && pause_ms > LIMITED_PAUSE_MS) {
        pause_ms = LIMITED_PAUSE_MS;
    }
    return remains ? pause_ms : 0;
}

/* ---- the thread ---- */

/* The pause to the next look: where another thread is at it, twice as long as the last time. */
static uint32_t look_if_nobody_does(void)
{
    static uint32_t busy_ms = 1; /* the purger's own */
    if (!hp_claim_try(&role)) {
        /* Who ticks there may have lost the processor for long. */
        busy_ms = busy_ms < LONGEST_BUSY_MS ? 2 * busy_ms : busy_ms;
        return busy_ms;
    }
    busy_ms = 1;
    uint32_t pause_ms = hp_purger_look(hp_system->now_ms(), HP_PURGER_THREAD_PORTIONS);
    hp_claim_release(&role);
    return pause_ms;
}

/* The main thread has ended: this thread must not be the one that keeps the process. */
static bool may_end(void)
{
    /* relaxed: it was set before the bell was rung, or it is seen the next time */
    return atomic_load_explicit(&main_has_left, memory_order_relaxed);
}

/* False: there is no other thread any more, and what is left to do goes with the process. */
static bool pause_unless_last(uint32_t pause_ms)
{
    while (!may_end() || !hp_purger_thread_is_last()) {
        if (pause_ms == 0) {
            return true;
        }
        uint32_t part_ms = pause_ms < OUTLIVE_MS ? pause_ms : OUTLIVE_MS;
        hp_bell_pause(part_ms);
        pause_ms -= part_ms;
    }
    return false;
}

static void run_purger(void)
{
    hp_system_use_batches(true);
    hp_huge_pages_ask_system();
    for (;;) {
        uint32_t pause_ms = look_if_nobody_does();
        if (pause_ms == 0) {
            if (may_end()) {
                break;
            }
            if (hp_bell_rest()) {
                hp_bell_wait();
            }
            continue;
        }
        if (!pause_unless_last(pause_ms)) {
            break;
        }
    }
    hp_purger_thread_prepare_end();
    /* acq_rel: P20, pairs with the look of a tick. The next one starts another thread, if it comes to that */
    atomic_exchange_explicit(&thread, THREAD_NONE, memory_order_acq_rel);
    hp_ticks_set(1);
}

/* One of several threads that tick at the same time does it. */
static bool start_thread(void)
{
    uint32_t none = THREAD_NONE;
    /* relaxed: who succeeds creates the thread, and that orders what it reads */
    if (!atomic_load_explicit(&thread_wanted, memory_order_relaxed) ||
        !hp_purger_thread_may_start() ||
        !atomic_compare_exchange_strong_explicit(&thread, &none, THREAD_RUNNING,
                                                 memory_order_relaxed, memory_order_relaxed)) {
        return false;
    }
    if (hp_purger_thread_start(run_purger)) {
        return true;
    }
    /* acq_rel: P20, pairs with the look of a tick. Who found the thread running meanwhile has stopped the ticks */
    atomic_exchange_explicit(&thread, THREAD_REFUSED, memory_order_acq_rel);
    hp_ticks_set(HP_TICK_OPERATIONS);
    return false;
}

static bool thread_is_running(void)
{
    /* relaxed: at worst one tick too many */
    return atomic_load_explicit(&thread, memory_order_relaxed) == THREAD_RUNNING;
}

/* ---- ticks ---- */

/* The system may have been short of threads for a moment only. For whoever has the role. */
static void allow_another_try(uint64_t now_ms)
{
    uint32_t refused = THREAD_REFUSED;
    if (now_ms - last_try_ms < RETRY_MS) {
        return;
    }
    last_try_ms = now_ms;
    /* relaxed: the next tick starts the thread, as if none had been asked for */
    atomic_compare_exchange_strong_explicit(&thread, &refused, THREAD_NONE, memory_order_relaxed,
                                            memory_order_relaxed);
}

static void look_if_it_is_time(void)
{
    if (!hp_claim_try(&role)) {
        return;
    }
    uint64_t now_ms = hp_system->now_ms();
    uint32_t step_ms = hp_decay_step_ms(&decay);
    step_ms = has_soft_limit() && step_ms > LIMITED_PAUSE_MS ? LIMITED_PAUSE_MS : step_ms;
    if (!has_begun || now_ms - last_look_ms >= step_ms) {
        hp_purger_look(now_ms, HP_PURGER_TICK_PORTIONS);
    }
    allow_another_try(now_ms);
    hp_claim_release(&role);
}

/* Nobody has to tick from then on. */
static bool has_or_gets_thread(bool may_start)
{
    if (!thread_is_running() && !(may_start && start_thread())) {
        return false;
    }
    hp_ticks_set(0);
    /* acq_rel: P20, pairs with the end of the thread: that comes later and sets the ticks again, or it is seen here */
    if (atomic_fetch_add_explicit(&thread, 0, memory_order_acq_rel) != THREAD_RUNNING) {
        hp_ticks_set(1);
    }
    return true;
}

void hp_purger_tick(bool may_start)
{
    if (nothing_ever_goes()) {
        hp_ticks_set(0);
        return;
    }
    hp_ticks_set(HP_TICK_OPERATIONS);
    if (!has_or_gets_thread(may_start)) {
        look_if_it_is_time();
    }
}

void hp_purger_start_early(void)
{
    if (!nothing_ever_goes() && hp_limit_mapped_bytes() >= HP_PURGER_EARLY_BYTES) {
        has_or_gets_thread(true);
    }
}

/* ---- the process ---- */

static void note_main_left(void)
{
    /* relaxed: the ring orders it before the look that follows */
    atomic_store_explicit(&main_has_left, true, memory_order_relaxed);
    hp_bell_ring();
}

void hp_purger_watch_main_thread(void)
{
    hp_purger_thread_watch_main(note_main_left);
}

void hp_purger_after_fork(void)
{
    /* A look of the parent may have been under way: what it had in hand is begun anew. */
    hp_purger_thread_after_fork();
    hp_system_use_batches(false);
    /* relaxed: there is one thread */
    atomic_store_explicit(&thread, THREAD_NONE, memory_order_relaxed);
    /* relaxed: as above; the caller is the main thread of the child */
    atomic_store_explicit(&main_has_left, false, memory_order_relaxed);
    hp_claim_release(&role);
    has_begun = false;
    hp_purge_after_fork();
    hp_bell_after_fork();
}
