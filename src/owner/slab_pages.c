#include "owner/slab_pages.h"

#include "platform/compiler.h"
#include "platform/system.h"

static uint64_t bits_between(unsigned first, unsigned last)
{
    return (~(uint64_t)0 >> (63 - (last - first))) << first;
}

/* Whether all slots from first to last are free. */
static bool all_are_free(const hp_slab_free *free, uint32_t first, uint32_t last)
{
    for (uint32_t word = first / 64; word <= last / 64; word++) {
        unsigned low = word == first / 64 ? first & 63 : 0;
        unsigned high = word == last / 64 ? last & 63 : 63;
        if ((~free->words[word] & bits_between(low, high)) != 0) {
            return false;
        }
    }
    return true;
}

/* Pages that slots reach into; what is left behind the last slot is never touched. */
static unsigned count_pages(const hp_slab *slab)
{
    size_t used_bytes = (size_t)slab->slot_count * slab->slot_bytes;
    return (unsigned)((used_bytes + hp_page_bytes() - 1) / hp_page_bytes());
}

uint64_t hp_slab_free_pages(const hp_slab *slab)
{
    uint64_t pages = 0;
    size_t page_bytes = hp_page_bytes();
    unsigned page_count = count_pages(slab);
    for (unsigned page = 0; page < page_count; page++) {
        uint32_t first = hp_divide(page * page_bytes, slab->reciprocal);
        uint32_t last = hp_divide((page + 1) * page_bytes - 1, slab->reciprocal);
        last = last < slab->slot_count ? last : slab->slot_count - 1;
        if (all_are_free(slab->free, first, last)) {
            pages |= (uint64_t)1 << page;
        }
    }
    return pages;
}

/* Every second page of 64. */
#define MOST_RANGES 32u

/* Neighbouring pages are one range. Those that the kernel keeps are not asked for again until they are used. */
static unsigned give_back(const hp_slab *slab, uint64_t pages)
{
    hp_address_range ranges[MOST_RANGES];
    unsigned count = 0;
    size_t page_bytes = hp_page_bytes();
    while (pages != 0) {
        unsigned first = hp_lowest_bit(pages);
        uint64_t above = ~(pages >> first);
        unsigned length = above == 0 ? 64 : hp_lowest_bit(above);
        ranges[count++] = (hp_address_range){slab->base + first * page_bytes, length * page_bytes};
        pages &= ~bits_between(first, first + length - 1);
    }
    for (unsigned range = 0; range < count; range++) {
        range += hp_system->discard_all(&ranges[range], count - range);
    }
    return count;
}

bool hp_slab_pages_look(hp_slab *slab, unsigned *calls)
{
    hp_slab_free *free = slab->free;
    uint64_t waiting = hp_slab_free_pages(slab) & ~free->given_back_pages;
    uint64_t due = waiting & free->resting_pages;
    if (due != 0) {
        *calls += give_back(slab, due);
        free->given_back_pages |= due;
    }
    free->resting_pages = waiting & ~due;
    return free->resting_pages != 0;
}

size_t hp_slab_pages_trim(hp_slab *slab)
{
    hp_slab_free *free = slab->free;
    uint64_t due = hp_slab_free_pages(slab) & ~free->given_back_pages;
    give_back(slab, due);
    free->given_back_pages |= due;
    free->resting_pages = 0;
    return hp_count_bits(due) * hp_page_bytes();
}

void hp_slab_pages_use(hp_slab *slab, size_t first_offset, size_t end_offset)
{
    unsigned first = (unsigned)(first_offset / hp_page_bytes());
    unsigned last = (unsigned)((end_offset - 1) / hp_page_bytes());
    slab->free->given_back_pages &= ~bits_between(first, last);
}

const char *hp_slab_pages_check(const hp_slab *slab)
{
    bool wrong = (slab->free->given_back_pages & ~hp_slab_free_pages(slab)) != 0;
    return wrong ? "SP1: a page that was given back has a slot that is out" : NULL;
}
