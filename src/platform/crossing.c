#include "platform/crossing.h"

#include <ck_pr.h>
#include <ck_stack.h>
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <urcu-bp.h>

#include "platform/compiler.h"

/* Present only in a program that is built with ThreadSanitizer. */
extern void __tsan_acquire(void *address) HP_WEAK;
extern void __tsan_release(void *address) HP_WEAK;

_Static_assert(sizeof(hp_stack) == sizeof(struct ck_stack),
               "hp_stack is a ck_stack by another name");
_Static_assert(offsetof(hp_stack, head) == offsetof(struct ck_stack, head), "same head");
_Static_assert(offsetof(hp_stack, generation) == offsetof(struct ck_stack, generation),
               "same count");
_Static_assert(sizeof(hp_stack_node) == sizeof(struct ck_stack_entry), "same node");

static struct ck_stack *ck_of(hp_stack *stack)
{
    return (struct ck_stack *)(void *)stack;
}

void hp_tell_release(void *address)
{
    if (__tsan_release != NULL) {
        __tsan_release(address);
    }
}

void hp_tell_acquire(void *address)
{
    if (__tsan_acquire != NULL) {
        __tsan_acquire(address);
    }
}

void hp_stack_push(hp_stack *stack, hp_stack_node *node)
{
    hp_tell_release(stack);
    /* The push itself keeps stores in order, and not what was read before it. */
    ck_pr_fence_release();
    ck_stack_push_mpmc(ck_of(stack), (struct ck_stack_entry *)(void *)node);
}

hp_stack_node *hp_stack_take_all(hp_stack *stack)
{
    hp_stack_node *first = (hp_stack_node *)(void *)ck_stack_batch_pop_mpmc(ck_of(stack));
    ck_pr_fence_acquire();
    hp_tell_acquire(stack);
    return first;
}

hp_stack_node *hp_stack_next(const hp_stack_node *node)
{
    return node->next;
}

hp_stack_node *hp_stack_pop(hp_stack *stack)
{
    hp_stack_node *node = (hp_stack_node *)(void *)ck_stack_pop_mpmc(ck_of(stack));
    ck_pr_fence_acquire();
    hp_tell_acquire(stack);
    return node;
}

/* More than liburcu maps for a thread that registers. */
#define OBSERVER_BYTES ((size_t)256 << 10)

bool hp_observe_begin(void)
{
    int saved_errno = errno;
    void *probe =
        mmap(NULL, OBSERVER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe != MAP_FAILED) {
        munmap(probe, OBSERVER_BYTES);
        urcu_bp_read_lock();
    }
    errno = saved_errno;
    return probe != MAP_FAILED;
}

void hp_observe_end(void)
{
    urcu_bp_read_unlock();
}

void hp_fork_prepare(void)
{
    urcu_bp_before_fork();
}

void hp_fork_parent(void)
{
    urcu_bp_after_fork_parent();
}

void hp_fork_child(void)
{
    urcu_bp_after_fork_child();
}
