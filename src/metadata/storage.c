#include "metadata/storage.h"

#include <stdatomic.h>
#include <stddef.h>

#include "platform/compiler.h"
#include "platform/crossing.h"
#include "platform/system.h"

/* Grows with the heap: a block is an eighth of what is mapped already, within these bounds. */
#define BLOCK_MIN_BYTES ((size_t)128 << 10)
#define BLOCK_MAX_BYTES ((size_t)4 << 20)

typedef struct storage_block {
    _Atomic size_t used_bytes; /* shared: fetch_add; may pass capacity_bytes by failed attempts */
    size_t capacity_bytes;     /* written before publication */
    hp_stack_node reserve_link;
} storage_block;

_Static_assert(sizeof(storage_block) <= HP_CACHE_LINE_BYTES, "records start behind it");

static storage_block *_Atomic current_block; /* shared: P7 */
static hp_stack reserves;                    /* shared: P2; blocks for when the system refuses */
static _Atomic uint64_t mapped_bytes;        /* shared: relaxed counter */

uint64_t hp_storage_mapped_bytes(void)
{
    /* relaxed: a statistic */
    return atomic_load_explicit(&mapped_bytes, memory_order_relaxed);
}

void *hp_storage_map(size_t bytes)
{
    size_t apart = hp_page_bytes();
    bytes = hp_round_up(bytes, apart);
    char *address = hp_system->map(NULL, bytes + 2 * apart);
    if (address == NULL) {
        return NULL;
    }
    /* relaxed: a statistic */
    atomic_fetch_add_explicit(&mapped_bytes, bytes, memory_order_relaxed);
    return address + apart;
}

void hp_storage_unmap(void *address, size_t bytes)
{
    size_t apart = hp_page_bytes();
    bytes = hp_round_up(bytes, apart);
    if (hp_system->unmap((char *)address - apart, bytes + 2 * apart)) {
        /* relaxed: a statistic */
        atomic_fetch_sub_explicit(&mapped_bytes, bytes, memory_order_relaxed);
    }
}

static void *take_from(storage_block *block, size_t bytes)
{
    /* relaxed: the bytes are zeros from the kernel, only their place is decided here */
    size_t offset = atomic_fetch_add_explicit(&block->used_bytes, bytes, memory_order_relaxed);
    if (offset > block->capacity_bytes || bytes > block->capacity_bytes - offset) {
        return NULL;
    }
    return (char *)block + offset;
}

static storage_block *make_block(void *memory, size_t capacity_bytes)
{
    storage_block *block = memory;
    block->capacity_bytes = capacity_bytes;
    /* relaxed: P7 or P2 publishes the block */
    atomic_store_explicit(&block->used_bytes, HP_CACHE_LINE_BYTES, memory_order_relaxed);
    return block;
}

static storage_block *new_block(void)
{
    size_t capacity = (size_t)hp_storage_mapped_bytes() / 8;
    capacity = capacity < BLOCK_MIN_BYTES ? BLOCK_MIN_BYTES : capacity;
    capacity = capacity > BLOCK_MAX_BYTES ? BLOCK_MAX_BYTES : capacity;
    capacity = hp_round_up(capacity, hp_page_bytes());
    void *memory = hp_storage_map(capacity);
    if (memory != NULL) {
        return make_block(memory, capacity);
    }
    hp_stack_node *reserve = hp_stack_pop(&reserves);
    return reserve == NULL
               ? NULL
               : (storage_block *)(void *)((char *)reserve - offsetof(storage_block, reserve_link));
}

bool hp_storage_set_aside(size_t bytes)
{
    bytes = hp_round_up(bytes, hp_page_bytes());
    void *memory = hp_storage_map(bytes);
    if (memory == NULL) {
        return false;
    }
    hp_stack_push(&reserves, &make_block(memory, bytes)->reserve_link);
    return true;
}

void *hp_storage_take(size_t bytes)
{
    bytes = hp_round_up(bytes, HP_CACHE_LINE_BYTES);
    if (bytes > BLOCK_MIN_BYTES / 4) {
        return hp_storage_map(bytes);
    }
    /* acquire: P7, pairs with the exchange below */
    storage_block *block = atomic_load_explicit(&current_block, memory_order_acquire);
    if (HP_LIKELY(block != NULL)) {
        void *record = take_from(block, bytes);
        if (HP_LIKELY(record != NULL)) {
            return record;
        }
    }
    storage_block *fresh = new_block();
    if (fresh == NULL) {
        return NULL;
    }
    void *record = take_from(fresh, bytes);
    /* release: P7, pairs with the load above. relaxed on failure: somebody else installed a block */
    if (!atomic_compare_exchange_strong_explicit(&current_block, &block, fresh,
                                                 memory_order_release, memory_order_relaxed)) {
        hp_stack_push(&reserves, &fresh->reserve_link);
    }
    return record;
}
