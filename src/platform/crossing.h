/*
 * crossing: the one place where the library touches ConcurrencyKit and liburcu.
 *
 * Both do their atomics in inline assembly or volatile accesses, which ThreadSanitizer cannot follow.
 * So crossing.c is never compiled with a sanitizer (as the system's libraries are not) and tells
 * ThreadSanitizer at its border what a push releases and what a take acquires.
 *
 * Owns:        nothing; the stacks lie in their users' records.
 * Invariants:
 *   X1  a node is on at most one stack.
 *   X2  a stack is emptied by take_all only or by pop only: pop relies on the count that pops keep.
 * Threads:     any thread may push and take; hp_stack_next only by the thread that took the node.
 * Ordering:    P2: everything before a push is visible after the take that returns the node.
 * Progress:    lock-free (push), wait-free (take_all). hp_stack_pop is lock-free and safe against
 *              reuse of nodes: it compares a generation count beside the pointer.
 *              hp_observe_* and hp_fork_* may wait: they are for observers and fork, never for malloc,
 *              free, thread start or thread exit.
 * Calls:       ck_stack; urcu-bp.
 * Used by:     region, owner, thread, statistics, fork.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct hp_stack_node {
    struct hp_stack_node *next; /* read and written only in crossing.c */
} hp_stack_node;

typedef struct hp_stack {
    _Alignas(16) hp_stack_node *_Atomic head; /* shared: P2 */
    char *generation;
} hp_stack;

/* What ThreadSanitizer is told of an order that it cannot see; nothing without it. */
void hp_tell_release(void *address);
void hp_tell_acquire(void *address);

void hp_stack_push(hp_stack *stack, hp_stack_node *node);

/* All nodes, newest first, linked by hp_stack_next; NULL when there is none. */
hp_stack_node *hp_stack_take_all(hp_stack *stack);
hp_stack_node *hp_stack_next(const hp_stack_node *node);

/* A hint: it may have changed by the time that it is used. */
static inline bool hp_stack_is_empty(const hp_stack *stack)
{
    /* relaxed: a hint; whoever acts on it takes the nodes by P2 */
    return atomic_load_explicit(&stack->head, memory_order_relaxed) == NULL;
}

/* The newest node or NULL. Only for stacks whose nodes are never unmapped. */
hp_stack_node *hp_stack_pop(hp_stack *stack);

/*
 * A read-side section: what the observer walks stays mapped until hp_observe_end. False when memory is so
 * short that liburcu could not register the thread, which it answers by aborting: there is no section then.
 */
bool hp_observe_begin(void);
void hp_observe_end(void);

void hp_fork_prepare(void);
void hp_fork_parent(void);
void hp_fork_child(void);
