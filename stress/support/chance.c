#include "chance.h"

/* The borders of hepta's classes and of the kinds above them. They are written down again here
 * on purpose: a stress program knows the allocator by its documentation only. */
static size_t border_bytes(chance *self)
{
    size_t doubling;
    switch (chance_below(self, 4)) {
    case 0: /* steps of 16 bytes to 1,024 */
        return 16 * (1 + (size_t)chance_below(self, 64));
    case 1: /* eight steps per doubling to 32 KiB */
        doubling = (size_t)1024 << chance_below(self, 5);
        return doubling + doubling / 8 * (size_t)chance_below(self, 9);
    case 2: /* whole pages to 256 KiB */
        return 4096 * (1 + (size_t)chance_below(self, 64));
    default: /* powers of two to 8 MiB */
        return (size_t)1 << (4 + chance_below(self, 20));
    }
}

static size_t any_scale_bytes(chance *self)
{
    size_t scale = (size_t)1 << chance_below(self, 23);
    return scale + (size_t)chance_below(self, scale);
}

size_t chance_size_bytes(chance *self, size_t limit_bytes)
{
    size_t bytes;
    uint64_t kind = chance_below(self, 64);
    if (kind < 36) {
        bytes = 1 + (size_t)chance_below(self, 256);
    } else if (kind < 52) {
        bytes = 1 + (size_t)chance_below(self, 1024);
    } else if (kind < 61) {
        bytes = border_bytes(self) + (size_t)chance_below(self, 3) - 1;
    } else {
        bytes = any_scale_bytes(self);
    }
    return bytes <= limit_bytes ? bytes : 1 + bytes % limit_bytes;
}
