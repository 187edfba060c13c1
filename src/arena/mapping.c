#include "arena/mapping.h"

#include "arena/hidden.h"
#include "metadata/storage.h"
#include "platform/huge_pages.h"
#include "platform/system.h"

#define STRANDED_AT_ONCE 64u

static hp_stack spare_records;         /* shared: P2 */
static hp_stack stranded;              /* shared: P2; MP1 */
static _Atomic uint64_t mapped_total;  /* shared: relaxed counter */
static _Atomic uint64_t mapping_total; /* shared: relaxed counter */
static _Atomic uint32_t origins; /* shared: relaxed counter; so many that a wrap does no harm */

static void count_mapping(uint64_t mappings, uint64_t bytes)
{
    /* relaxed: statistics */
    atomic_fetch_add_explicit(&mapping_total, mappings, memory_order_relaxed);
    atomic_fetch_add_explicit(&mapped_total, bytes, memory_order_relaxed);
}

hp_huge_totals hp_mapping_count(void)
{
    /* relaxed: statistics */
    return (hp_huge_totals){
        .mappings = atomic_load_explicit(&mapping_total, memory_order_relaxed),
        .mapped_bytes = atomic_load_explicit(&mapped_total, memory_order_relaxed),
    };
}

static void set_bytes(hp_huge *huge, size_t bytes)
{
    /* relaxed: others only peek */
    atomic_store_explicit(&huge->mapped_bytes, bytes, memory_order_relaxed);
}

void hp_mapping_set_length(hp_huge *huge, size_t bytes)
{
    count_mapping(0, (uint64_t)bytes - (uint64_t)hp_mapped_bytes_of(huge));
    set_bytes(huge, bytes);
}

void hp_mapping_renew_origin(hp_huge *huge)
{
    /* relaxed: only that no other record gets the same number */
    huge->origin = atomic_fetch_add_explicit(&origins, 1, memory_order_relaxed);
}

void hp_mapping_split(hp_huge *huge, hp_huge *rest, size_t bytes)
{
    rest->mapping = huge->mapping + hp_mapped_bytes_of(huge) - bytes;
    rest->origin = huge->origin;
    set_bytes(rest, bytes);
    set_bytes(huge, hp_mapped_bytes_of(huge) - bytes);
    count_mapping(1, 0);
}

void hp_mapping_join(hp_huge *huge, hp_huge *beside)
{
    if (beside->mapping < huge->mapping) {
        huge->mapping = beside->mapping;
    }
    if (beside->origin != huge->origin) {
        hp_mapping_renew_origin(huge);
    }
    set_bytes(huge, hp_mapped_bytes_of(huge) + hp_mapped_bytes_of(beside));
    count_mapping((uint64_t)-1, 0);
    hp_stack_push(&spare_records, &beside->spare_link);
}

hp_huge *hp_mapping_new_record(void)
{
    hp_stack_node *node = hp_stack_pop(&spare_records);
    return node != NULL ? (hp_huge *)(void *)node : hp_storage_take(sizeof(hp_huge));
}

void hp_mapping_destroy(hp_huge *huge)
{
    size_t bytes = hp_mapped_bytes_of(huge);
    count_mapping((uint64_t)-1, -(uint64_t)bytes);
    if (hp_system->unmap(huge->mapping, bytes)) {
        hp_stack_push(&spare_records, &huge->spare_link);
        return;
    }
    /* At the limit of mappings a range may not be cut out of its neighbours. Its pages can go. */
    huge->dirty_bytes = hp_system->discard(huge->mapping, bytes) ? 0 : bytes;
    hp_stack_push(&stranded, &huge->spare_link);
}

/* A stranded mapping that is large enough, or NULL. One try: a second one may be small as well. */
static hp_huge *take_stranded(size_t bytes)
{
    hp_huge *huge = (hp_huge *)(void *)hp_stack_pop(&stranded);
    if (huge != NULL && hp_mapped_bytes_of(huge) < bytes) {
        hp_stack_push(&stranded, &huge->spare_link);
        return NULL;
    }
    return huge;
}

static hp_huge *map_fresh(size_t bytes)
{
    hp_huge *huge = hp_mapping_new_record();
    if (huge == NULL) {
        return NULL;
    }
    char *mapping = hp_system->map(NULL, bytes);
    if (mapping == NULL) {
        hp_stack_push(&spare_records, &huge->spare_link);
        return NULL;
    }
    hp_huge_pages_advise(mapping, bytes);
    huge->mapping = mapping;
    huge->dirty_bytes = 0;
    hp_mapping_renew_origin(huge);
    set_bytes(huge, bytes);
    return huge;
}

hp_huge *hp_mapping_create(size_t bytes)
{
    hp_huge *huge = map_fresh(bytes);
    if (huge == NULL) {
        huge = take_stranded(bytes);
        if (huge == NULL) {
            return NULL;
        }
        hp_show_mapping(huge->mapping, hp_mapped_bytes_of(huge));
    }
    count_mapping(1, hp_mapped_bytes_of(huge));
    return huge;
}

/* The kernel may have let go of its refusal. All are taken first: what it refuses again comes back. */
void hp_mapping_destroy_stranded(void)
{
    hp_huge *taken[STRANDED_AT_ONCE];
    unsigned count = 0;
    while (count < STRANDED_AT_ONCE) {
        hp_stack_node *node = hp_stack_pop(&stranded);
        if (node == NULL) {
            break;
        }
        taken[count++] = (hp_huge *)(void *)node;
    }
    while (count > 0) {
        hp_huge *huge = taken[--count];
        count_mapping(1, hp_mapped_bytes_of(huge));
        hp_mapping_destroy(huge);
    }
}
