#include "owner/retire.h"

#include "owner/depot.h"
#include "owner/inbox.h"
#include "owner/lists.h"
#include "owner/slab_pages.h"
#include "platform/purger_bell.h"

void hp_owner_watch(hp_owner *owner)
{
    /* acq_rel: P16, pairs with begin_pass */
    if (!atomic_exchange_explicit(&owner->watched, true, memory_order_acq_rel)) {
        hp_bell_ring();
    }
}

/* ---- the depot ---- */

static bool is_at(const hp_pack *pack, const hp_pack_mark *mark)
{
    return pack != NULL && pack == mark->pack && pack->chunks[0] == mark->chunk;
}

/* The pack that has as many above as below. */
static hp_pack_mark middle_of(hp_pack *top)
{
    hp_pack *middle = top;
    for (hp_pack *end = top; end != NULL && hp_pack_below(end) != NULL;) {
        end = hp_pack_below(hp_pack_below(end));
        middle = hp_pack_below(middle);
    }
    return (hp_pack_mark){middle, middle == NULL ? NULL : middle->chunks[0]};
}

/* Cuts the chain above what was the middle at the last pass, which is returned; NULL: it is gone. */
static hp_pack *cut_unused(hp_pack *top, const hp_pack_mark *middle)
{
    hp_pack *last = top;
    while (last != NULL && !is_at(hp_pack_below(last), middle)) {
        last = hp_pack_below(last);
    }
    if (last == NULL) {
        return NULL;
    }
    hp_pack *unused = hp_pack_below(last);
    hp_pack_set_below(last, NULL);
    return unused;
}

/* The packs go back where they were; the stack's word then. */
static uint64_t put_back(hp_pack_stack *stack, hp_pack *top)
{
    hp_pack *last = top;
    while (hp_pack_below(last) != NULL) {
        last = hp_pack_below(last);
    }
    return hp_pack_push_chain(stack, top, last);
}

/*
 * All packs of the class are taken, looked at, and put back but for those that were not used. The stack's word is
 * as it was: all of them. What was the middle is still there: those from it down.
 */
static unsigned retire_packs(hp_owner *owner, unsigned size_class)
{
    hp_depot_marks *marks = &owner->pass.marks[size_class];
    hp_pack_stack *stack = &owner->depot[size_class];
    /* relaxed: compared and not followed; a change that comes later is seen at the next pass */
    bool unchanged = atomic_load_explicit(&stack->top, memory_order_relaxed) == marks->top;
    hp_pack *top = hp_pack_take_all(stack);
    hp_pack *unused = top;
    if (!unchanged) {
        bool from_top = is_at(top, &marks->middle);
        unused = from_top ? top : cut_unused(top, &marks->middle);
    }
    if (unused == top) {
        top = NULL;
    }
    unsigned returned = hp_depot_free_packs(owner, size_class, unused);
    marks->middle = middle_of(top);
    marks->top = top == NULL ? 0 : put_back(stack, top);
    owner->pass.found = owner->pass.found || top != NULL;
    return returned;
}

/* ---- slabs ---- */

static void retire_empty_slab(hp_owner *owner, unsigned size_class)
{
    hp_slab *empty = owner->classes[size_class].empty;
    if (empty != NULL && empty == owner->pass.seen_empty[size_class]) {
        hp_owner_close_empty(owner, size_class);
        empty = NULL;
    }
    owner->pass.seen_empty[size_class] = empty;
    owner->pass.found = owner->pass.found || empty != NULL;
}

/* Goes on through the list; true: it is at its end. *room: what this claim may still cover. */
static bool look_at_pages(hp_owner *owner, unsigned list, unsigned *room)
{
    hp_owner_pass *pass = &owner->pass;
    hp_slab *slab = pass->slab;
    if (slab == NULL) {
        slab = hp_list_first(owner, list);
    } else if (!hp_list_has(owner, slab, list)) {
        /* The place is lost: the rest of the list waits for the next pass. */
        pass->found = true;
        return true;
    }
    while (slab != NULL && *room > 0) {
        hp_slab *next = slab->free->next;
        unsigned calls = 0;
        bool is_empty = slab->free->free_count == slab->slot_count;
        if (!is_empty && hp_slab_pages_look(slab, &calls)) {
            pass->found = true;
        }
        *room = calls == 0 ? *room - 1 : 0;
        slab = next;
    }
    pass->slab = slab;
    return slab == NULL;
}

size_t hp_owner_trim_pages(hp_owner *owner)
{
    size_t bytes = 0;
    for (unsigned list = 0; list < HP_SLAB_LISTS; list = hp_list_from(owner, list + 1)) {
        for (hp_slab *slab = hp_list_first(owner, list); slab != NULL; slab = slab->free->next) {
            bytes += hp_slab_pages_trim(slab);
        }
    }
    return bytes;
}

/* ---- the pass ---- */

/* Memory is scarce for one to two passes from a refusal on; a refusal at this moment may count for one less. */
static void count_scarce_pass(hp_owner *owner)
{
    /* relaxed: a number to go by */
    uint32_t passes = atomic_load_explicit(&owner->scarce_passes, memory_order_relaxed);
    if (passes != 0) {
        /* relaxed: as above */
        atomic_store_explicit(&owner->scarce_passes, passes - 1, memory_order_relaxed);
    }
}

static void begin_pass(hp_owner *owner, uint32_t now_ms)
{
    hp_owner_pass *pass = &owner->pass;
    pass->began_at_ms = now_ms;
    pass->is_under_way = true;
    pass->found = false;
    pass->place = 0;
    pass->slab = NULL;
    count_scarce_pass(owner);
    /* acq_rel: P16, pairs with hp_owner_watch: who found it set has done its work before this */
    atomic_exchange_explicit(&owner->watched, false, memory_order_acq_rel);
}

/* Of a list of slabs; false: the portion is at its end before they are. */
static bool pass_slabs(hp_owner *owner, unsigned list, unsigned *room)
{
    if (owner->pass.slab == NULL && list < HP_CLASSES) {
        retire_empty_slab(owner, list);
    }
    return look_at_pages(owner, list, room);
}

_Static_assert(HP_DEPOT_CLASSES < HP_SLAB_LISTS,
               "the packs of a class have the place of the list of its number");

/* As much as one claim may cover; true: the pass has seen everything. */
static bool pass_portion(hp_owner *owner)
{
    hp_owner_pass *pass = &owner->pass;
    unsigned room = HP_RETIRE_PORTION;
    while (pass->place < HP_SLAB_LISTS) {
        unsigned place = pass->place;
        if (pass->slab == NULL && place < HP_DEPOT_CLASSES) {
            unsigned returned = retire_packs(owner, place);
            room -= returned < room ? returned : room;
        }
        if (!pass_slabs(owner, place, &room)) {
            return false;
        }
        pass->slab = NULL;
        pass->place = place + 1 < HP_DEPOT_CLASSES ? place + 1 : hp_list_from(owner, place + 1);
        if (room == 0) {
            return pass->place == HP_SLAB_LISTS;
        }
    }
    return true;
}

/* Whether the owner has to be looked at again; else it is left alone until somebody rings. */
static bool end_pass(hp_owner *owner)
{
    owner->pass.is_under_way = false;
    bool found = owner->pass.found;
    /* acq_rel: P16, pairs with announce: either the bytes are seen here, or there that nobody watches */
    found = atomic_fetch_add_explicit(&owner->inbox_bytes, 0, memory_order_acq_rel) != 0 || found;
    if (found) {
        /* relaxed: the purger's own word again */
        atomic_store_explicit(&owner->watched, true, memory_order_relaxed);
        return true;
    }
    /* relaxed: who set it since has rung the bell */
    return atomic_load_explicit(&owner->watched, memory_order_relaxed);
}

static hp_look_end portion_under_claim(hp_owner *owner, uint32_t now_ms, uint32_t pass_ms)
{
    hp_owner_pass *pass = &owner->pass;
    if (hp_inbox_has_news(owner)) {
        hp_inbox_drain(owner);
    }
    if (!pass->is_under_way) {
        if (now_ms - pass->began_at_ms < pass_ms) {
            return HP_LOOK_LATER;
        }
        begin_pass(owner, now_ms);
    }
    if (!pass_portion(owner)) {
        return HP_LOOK_SOON;
    }
    return end_pass(owner) ? HP_LOOK_LATER : HP_LOOK_DONE;
}

void hp_owner_abandon(hp_owner *owner)
{
    owner->pass.abandoned = true;
    /* relaxed: there is one thread */
    atomic_store_explicit(&owner->watched, false, memory_order_relaxed);
}

hp_look_end hp_owner_look(hp_owner *owner, uint32_t now_ms, uint32_t pass_ms, unsigned portions)
{
    hp_owner_pass *pass = &owner->pass;
    /* relaxed: a ring tells of what is missed here */
    if (!pass->is_under_way && !atomic_load_explicit(&owner->watched, memory_order_relaxed)) {
        return HP_LOOK_DONE;
    }
    hp_look_end end = HP_LOOK_SOON;
    for (; portions > 0 && end == HP_LOOK_SOON; portions--) {
        if (!hp_claim_try(&owner->claim)) {
            return pass->abandoned ? HP_LOOK_DONE : HP_LOOK_LATER;
        }
        pass->abandoned = false;
        end = portion_under_claim(owner, now_ms, pass_ms);
        hp_claim_release(&owner->claim);
    }
    return end;
}
