/*
 * What owner, slab and inbox call, for the model: stacks in steps, records and pages out of the world.
 *
 * The stack is ck_stack_push_upmc and ck_stack_batch_pop_upmc line by line, with a step before each
 * access that another thread can see.
 */
#include <stddef.h>

#include "arena/arena.h"
#include "arena/large.h"
#include "inbox_world.h"
#include "metadata/address_map.h"
#include "metadata/storage.h"
#include "owner/owners.h"
#include "owner/retire.h"
#include "platform/crossing.h"
#include "platform/misuse.h"
#include "platform/report.h"
#include "platform/system.h"

hp_hot_map hp_hot;

void hp_stack_push(hp_stack *stack, hp_stack_node *node)
{
    for (;;) {
        model_step();
        hp_stack_node *head = stack->head;
        node->next = head;
        model_step();
        if (stack->head == head) {
            stack->head = node;
            return;
        }
    }
}

hp_stack_node *hp_stack_take_all(hp_stack *stack)
{
    model_step();
    hp_stack_node *head = stack->head;
    stack->head = NULL;
    return head;
}

hp_stack_node *hp_stack_next(const hp_stack_node *node)
{
    model_step();
    return node->next;
}

hp_owner *hp_owners_first(void)
{
    return &world.owner;
}

void *hp_storage_take(size_t bytes)
{
    char *record = world.records + world.records_used;
    world.records_used += hp_round_up(bytes, 64);
    return world.records_used <= sizeof world.records ? record : NULL;
}

/* Nothing lies at these addresses: a free does not touch what it frees. */
bool hp_arena_take(size_t bytes, size_t align_bytes, hp_run *run)
{
    (void)align_bytes;
    world.chunks_taken++;
    *run = (hp_run){.start = (char *)((uintptr_t)world.chunks_taken << 20), .bytes = bytes};
    return true;
}

bool hp_arena_take_touched(size_t bytes, size_t align_bytes, hp_run *run)
{
    return hp_arena_take(bytes, align_bytes, run);
}

bool hp_arena_take_untouched(size_t bytes, size_t align_bytes, hp_run *run)
{
    return hp_arena_take(bytes, align_bytes, run);
}

void hp_large_free_run(hp_entry entry)
{
    (void)entry;
}

void hp_region_free(hp_region *region, uint32_t chunk)
{
    (void)region;
    (void)chunk;
    world.chunks_given_back++;
}

bool hp_hot_set(uint64_t grain, uint64_t owner_id, uint64_t line_offset, void *slab)
{
    (void)grain;
    (void)owner_id;
    (void)line_offset;
    (void)slab;
    return true;
}

void hp_hot_hide(uint64_t grain)
{
    (void)grain;
}

void hp_hot_clear(uint64_t grain)
{
    (void)grain;
}

hp_entry hp_map_get(const void *pointer)
{
    (void)pointer;
    return 0;
}

void hp_map_set(const void *start, size_t bytes, hp_entry entry)
{
    (void)start;
    (void)bytes;
    (void)entry;
}

void hp_misuse(const char *call, const char *what, const void *pointer)
{
    (void)call;
    (void)what;
    (void)pointer;
    world.broken = "I2: a slot was freed twice, or is no slot";
}

void hp_broken(const char *module, const char *invariant)
{
    (void)module;
    world.broken = invariant;
    for (;;) {
        model_step();
    }
}

/* The bell is another model's matter. */
void hp_owner_watch(hp_owner *owner)
{
    model_step();
    atomic_store(&owner->watched, true);
}

const hp_system_calls *hp_system;

unsigned hp_usable_processors(void)
{
    return 1;
}

_Atomic size_t hp_known_page_bytes = 4096;

size_t hp_find_page_bytes(void)
{
    return 4096;
}
