#include "arena/range.h"

#include "arena/bfc.h"
#include "metadata/address_map.h"
#include "metadata/storage.h"
#include "platform/crossing.h"
#include "platform/huge_pages.h"
#include "platform/system.h"

/*
 * mmap aligns to pages only. Regions are asked for side by side, so the hint is mostly granted;
 * when not, map more and cut off both ends. A cut that the kernel refuses costs address space only.
 */
static char *map_aligned(size_t bytes, void *hint)
{
    char *mapped = hp_system->map(hint, bytes);
    if (mapped == NULL || ((uintptr_t)mapped & (HP_REGION_ALIGN_BYTES - 1)) == 0) {
        return mapped;
    }
    hp_system->unmap(mapped, bytes);
    mapped = hp_system->map(NULL, bytes + HP_REGION_ALIGN_BYTES);
    if (mapped == NULL) {
        return NULL;
    }
    char *start = (char *)hp_round_up((uintptr_t)mapped, HP_REGION_ALIGN_BYTES);
    size_t before = (size_t)(start - mapped);
    if (before != 0) {
        hp_system->unmap(mapped, before);
    }
    if (before != HP_REGION_ALIGN_BYTES) {
        hp_system->unmap(start + bytes, HP_REGION_ALIGN_BYTES - before);
    }
    return start;
}

size_t hp_range_table_bytes(uint32_t page_count)
{
    return hp_round_up(hp_bfc_table_bytes(page_count), hp_page_bytes());
}

static size_t tables_bytes(uint32_t page_count)
{
    return hp_range_table_bytes(page_count) + page_count * sizeof(hp_stack_node);
}

bool hp_range_unmap(const hp_range *range)
{
    if (!hp_system->unmap(range->base, (size_t)range->page_count * hp_page_bytes())) {
        return false;
    }
    if (range->tables != NULL) {
        hp_storage_unmap(range->tables, tables_bytes(range->page_count));
    }
    return true;
}

bool hp_range_map(size_t bytes, void *hint, hp_range *range)
{
    range->base = map_aligned(bytes, hint);
    if (range->base == NULL) {
        return false;
    }
    range->page_count = (uint32_t)(bytes / hp_page_bytes());
    range->tables = hp_storage_map(tables_bytes(range->page_count));
    if (range->tables != NULL && hp_map_reserve(range->base, bytes)) {
        hp_huge_pages_advise(range->base, bytes);
        return true;
    }
    hp_range_unmap(range);
    return false;
}
