#include "arena/recent.h"

uint32_t hp_recent_take_any(hp_recent *recent)
{
    if (recent->waiting == 0) {
        return HP_BFC_NONE;
    }
    uint32_t place = hp_lowest_bit(recent->waiting);
    hp_recent_leave(recent, place);
    return recent->chunk[place];
}

static bool waits_twice(const hp_recent *recent, uint32_t place)
{
    for (uint32_t left = recent->waiting >> (place + 1) << (place + 1); left != 0;
         left &= left - 1) {
        if (recent->chunk[hp_lowest_bit(left)] == recent->chunk[place]) {
            return true;
        }
    }
    return false;
}

const char *hp_recent_check(const hp_recent *recent, const hp_bfc *bfc)
{
    uint64_t page_sum = 0;
    uint64_t sizes = 0;
    for (uint32_t left = recent->waiting; left != 0; left &= left - 1) {
        uint32_t place = hp_lowest_bit(left);
        uint32_t chunk = recent->chunk[place];
        if (place >= HP_RECENT_RUNS || chunk >= bfc->record_count ||
            bfc->chunks[chunk].state != HP_BFC_USED ||
            bfc->chunks[chunk].page_count != recent->pages[place]) {
            return "E1: a run that waits is not a used chunk of that length";
        }
        if (waits_twice(recent, place)) {
            return "E1: a run waits twice";
        }
        page_sum += recent->pages[place];
        sizes |= hp_recent_size_bit(recent->pages[place]);
    }
    return page_sum == recent->page_sum && sizes == recent->sizes
               ? NULL
               : "E2: page_sum or sizes are not those of what waits";
}
