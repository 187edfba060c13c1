#include "metadata/storage.h"

#include <stdatomic.h>

#include "platform/compiler.h"
#include "platform/system.h"

/* Grows with the heap: a block is an eighth of what is mapped already, within these bounds. */
#define BLOCK_MIN_BYTES ((size_t)128 << 10)
#define BLOCK_MAX_BYTES ((size_t)4 << 20)

typedef struct storage_block {
    _Atomic size_t used_bytes; /* shared: fetch_add; may pass capacity_bytes by failed attempts */
    size_t capacity_bytes;     /* written before publication */
} storage_block;

static storage_block *_Atomic current_block; /* shared: P7 */
static _Atomic uint64_t mapped_bytes;        /* shared: relaxed counter */

uint64_t hp_storage_mapped_bytes(void)
{
    /* relaxed: a statistic */
    return atomic_load_explicit(&mapped_bytes, memory_order_relaxed);
}

static void *map_counted(size_t bytes)
{
    void *address = hp_system->map(NULL, bytes);
    if (address != NULL) {
        /* relaxed: a statistic */
        atomic_fetch_add_explicit(&mapped_bytes, bytes, memory_order_relaxed);
    }
    return address;
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

static storage_block *new_block(size_t bytes)
{
    size_t capacity = (size_t)hp_storage_mapped_bytes() / 8;
    capacity = capacity < BLOCK_MIN_BYTES ? BLOCK_MIN_BYTES : capacity;
    capacity = capacity > BLOCK_MAX_BYTES ? BLOCK_MAX_BYTES : capacity;
    capacity = hp_round_up(capacity, hp_page_bytes());
    storage_block *block = map_counted(capacity);
    if (block == NULL) {
        /* The system is nearly full: one page can still let the caller go on. */
        capacity = hp_round_up(bytes + HP_CACHE_LINE_BYTES, hp_page_bytes());
        block = map_counted(capacity);
        if (block == NULL) {
            return NULL;
        }
    }
    block->capacity_bytes = capacity;
    /* relaxed: P7 publishes the block */
    atomic_store_explicit(&block->used_bytes, HP_CACHE_LINE_BYTES, memory_order_relaxed);
    return block;
}

void *hp_storage_take(size_t bytes)
{
    bytes = hp_round_up(bytes, HP_CACHE_LINE_BYTES);
    if (bytes > BLOCK_MIN_BYTES / 4) {
        return map_counted(hp_round_up(bytes, hp_page_bytes()));
    }
    /* acquire: P7, pairs with the exchange below */
    storage_block *block = atomic_load_explicit(&current_block, memory_order_acquire);
    if (HP_LIKELY(block != NULL)) {
        void *record = take_from(block, bytes);
        if (HP_LIKELY(record != NULL)) {
            return record;
        }
    }
    storage_block *fresh = new_block(bytes);
    if (fresh == NULL) {
        return NULL;
    }
    void *record = take_from(fresh, bytes);
    /* release: P7, pairs with the load above. relaxed on failure: somebody else installed a block */
    if (!atomic_compare_exchange_strong_explicit(&current_block, &block, fresh,
                                                 memory_order_release, memory_order_relaxed)) {
        /* What is left of our block is not handed out: it is untouched and costs no memory. */
    }
    return record;
}
