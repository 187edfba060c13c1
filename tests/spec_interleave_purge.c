/*
 * A run that is taken out, given back to the system and freed again, in every order of its steps with those of
 * threads that use the region: nobody's data is given back, and what is called clean holds none.
 *
 * The lines of purge.c and region.c are mirrored here; what they call is real: the claim, the stack, the BFC
 * core and its check. Each page holds data or not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena/region.h"
#include "interleave_spec.h"
#include "support/interleave.h"

enum { PAGES = 6, USERS = 2, PURGER = USERS, THREADS = USERS + 1 };

typedef enum line {
    CLAIM,
    WORK, /* under the claim: allocate, or take out */
    RELEASE,
    TOUCH, /* the holder of a chunk writes to it; the purger gives it back */
    FREE_CLAIM,
    FREE_WORK,
    FREE_RELEASE,
    PUSH,
    FINISHED
} line;

typedef struct thread {
    line at;
    unsigned rounds;
    uint32_t chunk;
    uint32_t start_page; /* of the chunk, and how many: what the purger remembers of a run */
    uint32_t page_count;
} thread;

static struct world {
    hp_region region;
    hp_bfc_chunk table[PAGES];
    hp_stack_node links[PAGES];
    thread threads[THREADS];
    bool holds_data[PAGES];
    const char *broken;
} world;

/* Each of these is wrong on purpose. */
typedef enum mutation { NONE, LEAVES_IT_IN_THE_BINS, CALLS_IT_CLEAN_TOO_EARLY } mutation;
static mutation wrong;

static void fill(const thread *self, bool with_data)
{
    for (uint32_t page = 0; page < self->page_count; page++) {
        world.holds_data[self->start_page + page] = with_data;
    }
}

static void expect_all(const thread *self, bool with_data, const char *sentence)
{
    for (uint32_t page = 0; page < self->page_count; page++) {
        if (world.holds_data[self->start_page + page] != with_data) {
            world.broken = sentence;
        }
    }
}

static void work_in_pending(void)
{
    hp_region *region = &world.region;
    hp_stack_node *node = hp_stack_take_all(&region->pending);
    while (node != NULL) {
        hp_stack_node *next = hp_stack_next(node);
        hp_bfc_free(&region->bfc, (uint32_t)(node - region->pending_links), 1);
        node = next;
    }
}

static void note_run(thread *self, uint32_t chunk)
{
    self->chunk = chunk;
    if (chunk != HP_BFC_NONE) {
        self->start_page = world.table[chunk].start_page;
        self->page_count = world.table[chunk].page_count;
    }
}

static void allocate(thread *self)
{
    note_run(self, hp_bfc_allocate(&world.region.bfc, 2, 1));
    if (self->chunk != HP_BFC_NONE && !world.table[self->chunk].dirty) {
        expect_all(self, false, "a run that is called clean holds data");
    }
}

static void take_out(thread *self)
{
    hp_bfc *bfc = &world.region.bfc;
    self->chunk = HP_BFC_NONE;
    for (uint32_t record = 0; record < bfc->record_count; record++) {
        if (world.table[record].state != HP_BFC_FREE || !world.table[record].dirty) {
            continue;
        }
        if (wrong == LEAVES_IT_IN_THE_BINS) {
            note_run(self, record);
            self->start_page = world.table[record].dirty_start_page;
            self->page_count = world.table[record].dirty_end_page - self->start_page;
            hp_bfc_mark_clean(bfc, record);
        } else {
            note_run(self, hp_bfc_take_dirty(bfc, record, 2));
        }
        return;
    }
}

static void touch(thread *self, bool is_purger)
{
    if (is_purger) {
        fill(self, false);
        if (wrong != LEAVES_IT_IN_THE_BINS) {
            world.table[self->chunk].given_back = true;
        }
    } else {
        fill(self, true);
    }
}

static void end_round(thread *self)
{
    self->rounds--;
    self->at = self->rounds == 0 ? FINISHED : CLAIM;
}

static void release(thread *self, bool is_purger)
{
    hp_claim_release(&world.region.claim);
    self->at = TOUCH;
    if (self->chunk == HP_BFC_NONE) {
        end_round(self);
    } else if (is_purger && wrong == CALLS_IT_CLEAN_TOO_EARLY) {
        world.table[self->chunk].given_back = true;
        self->at = FREE_CLAIM;
    }
}

static bool step(unsigned number)
{
    thread *self = &world.threads[number];
    hp_region *region = &world.region;
    bool is_purger = number == PURGER;
    switch (self->at) {
    case CLAIM:
        if (!hp_claim_try(&region->claim)) {
            end_round(self);
            return true;
        }
        work_in_pending();
        self->at = WORK;
        return true;
    case WORK:
        if (is_purger) {
            take_out(self);
        } else {
            allocate(self);
        }
        self->at = RELEASE;
        return true;
    case RELEASE:
        release(self, is_purger);
        return true;
    case TOUCH:
        touch(self, is_purger);
        self->at = FREE_CLAIM;
        if (is_purger && wrong == LEAVES_IT_IN_THE_BINS) {
            end_round(self);
        }
        return true;
    case FREE_CLAIM:
        if (!is_purger) {
            expect_all(self, true, "the data of a chunk in use was given back");
        }
        self->at = hp_claim_try(&region->claim) ? FREE_WORK : PUSH;
        return true;
    case FREE_WORK:
        work_in_pending();
        hp_bfc_free(&region->bfc, self->chunk, 1);
        self->at = FREE_RELEASE;
        return true;
    case FREE_RELEASE:
        hp_claim_release(&region->claim);
        end_round(self);
        return true;
    case PUSH:
        hp_stack_push(&region->pending, &region->pending_links[self->chunk]);
        end_round(self);
        return true;
    case FINISHED:
        return false;
    }
    return false;
}

static const char *check(void)
{
    return world.broken;
}

static const char *check_end(void)
{
    work_in_pending();
    const char *broken = hp_bfc_check(&world.region.bfc);
    if (broken == NULL && hp_bfc_largest_free_pages(&world.region.bfc) != PAGES) {
        broken = "PU1: a run was lost";
    }
    for (uint32_t page = 0; page < PAGES && broken == NULL; page++) {
        const hp_bfc_chunk *all = &world.table[0];
        bool dirty = all->dirty && page >= all->dirty_start_page && page < all->dirty_end_page;
        if (world.holds_data[page] && !dirty) {
            broken = "a page that is called clean holds data";
        }
    }
    return broken;
}

static void begin(void)
{
    memset(&world, 0, sizeof world);
    hp_bfc_init(&world.region.bfc, world.table, PAGES);
    world.region.pending_links = world.links;
    /* Four pages were used before. */
    hp_bfc_free(&world.region.bfc, hp_bfc_allocate(&world.region.bfc, 4, 1), 1);
    for (uint32_t page = 0; page < 4; page++) {
        world.holds_data[page] = true;
    }
    for (unsigned number = 0; number < THREADS; number++) {
        world.threads[number].rounds = number == PURGER ? 2 : 1;
    }
}

static interleave_result run(mutation chosen)
{
    wrong = chosen;
    return interleave_run(&(interleave_model){.world = &world,
                                              .world_bytes = sizeof world,
                                              .thread_count = THREADS,
                                              .begin = begin,
                                              .step = step,
                                              .check = check,
                                              .check_end = check_end});
}

static void in_no_order_data_is_given_back_or_a_clean_page_holds_some(void **state)
{
    (void)state;
    expect_sound(run(NONE), 500, 10);
}

static void a_run_that_stays_in_the_bins_is_found(void **state)
{
    (void)state;
    expect_broken(run(LEAVES_IT_IN_THE_BINS));
}

static void a_run_that_is_called_clean_too_early_is_found(void **state)
{
    (void)state;
    expect_broken(run(CALLS_IT_CLEAN_TOO_EARLY));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_no_order_data_is_given_back_or_a_clean_page_holds_some),
        cmocka_unit_test(a_run_that_stays_in_the_bins_is_found),
        cmocka_unit_test(a_run_that_is_called_clean_too_early_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
