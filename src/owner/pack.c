#include "owner/pack.h"

hp_pack hp_packs[HP_PACKS + 1];

static _Atomic uint32_t packs_begun; /* shared: relaxed counter; so many packs were ever used */

hp_pack *hp_pack_take_all(hp_pack_stack *stack)
{
    /* relaxed: compared and not followed */
    uint64_t top = atomic_load_explicit(&stack->top, memory_order_relaxed);
    /* acq_rel: P17, pairs with the push; P16, what is left behind by who comes later rings. relaxed on failure:
       as above */
    while (!atomic_compare_exchange_weak_explicit(&stack->top, &top, hp_pack_word_popped(top, 0),
                                                  memory_order_acq_rel, memory_order_relaxed)) {
    }
    return hp_pack_named(top);
}

hp_pack *hp_pack_begin(void)
{
    /* relaxed: a counter that only grows; who reads it late asks again */
    if (atomic_load_explicit(&packs_begun, memory_order_relaxed) >= HP_PACKS) {
        return NULL;
    }
    /* relaxed: only a number is taken */
    uint32_t name = atomic_fetch_add_explicit(&packs_begun, 1, memory_order_relaxed) + 1;
    return name <= HP_PACKS ? hp_pack_named(name) : NULL;
}

uint32_t hp_pack_count(const hp_pack_stack *stack)
{
    /* acquire: P17, pairs with the push */
    uint64_t name = atomic_load_explicit(&stack->top, memory_order_acquire) & HP_PACK_NAME_MASK;
    uint32_t count = 0;
    for (; name != 0 && count < HP_PACKS; count++) {
        /* relaxed: the packs may change hands meanwhile, so that the count is wrong and bounded */
        name = atomic_load_explicit(&hp_packs[name].below, memory_order_relaxed);
    }
    return count;
}
