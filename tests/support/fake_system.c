#include "support/fake_system.h"

#include <limits.h>

#include "platform/system.h"
#include "service/decay.h"
#include "service/purger.h"

fake_system fake;

/* Two mappings in one, so that the wanted one starts a page after a border of 2 MiB. */
static void *map_off_the_border(size_t bytes)
{
    static const size_t border_bytes = (size_t)2 << 20;
    size_t room_bytes = bytes + border_bytes + hp_page_bytes();
    char *room = hp_system_kernel.map(NULL, room_bytes);
    if (room == NULL) {
        return NULL;
    }
    char *start = (char *)hp_round_up((uintptr_t)room, border_bytes) + hp_page_bytes();
    hp_system_kernel.unmap(room, (size_t)(start - room));
    hp_system_kernel.unmap(start + bytes, room_bytes - bytes - (size_t)(start - room));
    return start;
}

static void tell_once(void (**listener)(void))
{
    void (*tell)(void) = *listener;
    *listener = NULL;
    if (tell != NULL) {
        tell();
    }
}

static void *fake_map(void *hint, size_t bytes)
{
    if (fake.maps_asked < FAKE_MAPS_REMEMBERED) {
        fake.map_bytes[fake.maps_asked] = bytes;
    }
    fake.maps_asked++;
    if (bytes > fake.map_limit_bytes || fake.maps_left == 0) {
        tell_once(&fake.when_refused);
        return NULL;
    }
    fake.maps_left--;
    hint = fake.place != NULL ? fake.place : hint;
    void *address = fake.ignore_hints && fake.place == NULL ? map_off_the_border(bytes)
                                                            : hp_system_kernel.map(hint, bytes);
    fake.place = NULL;
    fake.mapped_bytes += address != NULL ? (int64_t)bytes : 0;
    return address;
}

static bool fake_unmap(void *address, size_t bytes)
{
    fake.unmaps_asked++;
    if (fake.refuse_unmap || !hp_system_kernel.unmap(address, bytes)) {
        return false;
    }
    fake.mapped_bytes -= (int64_t)bytes;
    return true;
}

static bool fake_discard(void *address, size_t bytes)
{
    tell_once(&fake.when_discarding);
    fake.discards_asked++;
    if (fake.refuse_discard || address == fake.refuse_discard_at ||
        !hp_system_kernel.discard(address, bytes)) {
        return false;
    }
    fake.discarded_bytes += bytes;
    return true;
}

static unsigned fake_discard_all(const hp_address_range *ranges, unsigned count)
{
    unsigned done = 0;
    fake.batches_asked++;
    while (done < count && fake_discard(ranges[done].address, ranges[done].bytes)) {
        done++;
    }
    return done;
}

static bool fake_dump(void *address, size_t bytes, bool wanted)
{
    fake_advice *last = &fake.last_advice;
    *last = (fake_advice){address, bytes};
    *(wanted ? &fake.shows_asked : &fake.hides_asked) += 1;
    return !fake.refuse_dump && hp_system_kernel.dump(address, bytes, wanted);
}

static void *fake_remap(void *address, size_t old_bytes, size_t new_bytes, void *target)
{
    bool refused =
        target != NULL ? fake.refuse_moving : fake.refuse_growing_in_place && new_bytes > old_bytes;
    void *moved = refused ? NULL : hp_system_kernel.remap(address, old_bytes, new_bytes, target);
    if (moved != NULL) {
        /* What lay at a target is gone: the old mapping's length replaces it. */
        bool replaces = target != NULL && target != HP_ANYWHERE;
        fake.mapped_bytes += (replaces ? 0 : (int64_t)new_bytes) - (int64_t)old_bytes;
    }
    return moved;
}

static size_t fake_resident_bytes(void *address, size_t bytes)
{
    if (fake.refuse_telling) {
        return SIZE_MAX;
    }
    return fake.born_resident ? bytes : hp_system_kernel.resident_bytes(address, bytes);
}

static uint64_t fake_now_ms(void)
{
    return fake.now_ms;
}

static const hp_system_calls fake_calls = {
    .map = fake_map,
    .unmap = fake_unmap,
    .discard = fake_discard,
    .discard_all = fake_discard_all,
    .dump = fake_dump,
    .remap = fake_remap,
    .resident_bytes = fake_resident_bytes,
    .now_ms = fake_now_ms,
};

/* Later questions of a process with one thread are answered. */
static void ask_until_the_kernel_is_asked(void)
{
    static _Alignas(65536) char page[65536];
    for (unsigned question = 0; question <= HP_RESIDENT_WITHHELD; question++) {
        hp_system_kernel.resident_bytes(page, hp_page_bytes());
    }
}

int fake_system_setup(void **state)
{
    (void)state;
    ask_until_the_kernel_is_asked();
    fake = (fake_system){.map_limit_bytes = SIZE_MAX, .maps_left = UINT_MAX, .now_ms = 1000};
    hp_system = &fake_calls;
    /* Nobody works beside the test. */
    hp_purger_set_decay(HP_DECAY_NEVER);
    return 0;
}

int fake_system_teardown(void **state)
{
    (void)state;
    hp_system = &hp_system_kernel;
    return 0;
}

void fake_system_forget(void)
{
    fake.maps_asked = 0;
    fake.unmaps_asked = 0;
    fake.discards_asked = 0;
    fake.batches_asked = 0;
    fake.hides_asked = 0;
    fake.shows_asked = 0;
    fake.discarded_bytes = 0;
    fake.mapped_bytes = 0;
}
