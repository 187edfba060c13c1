# Sourced after expect.sh: a small source tree that passes check_layers and check_style.

tree=$scratch/tree

header_block() {
    cat << 'END'
/*
 * module: what it is.
 *
 * Owns:        nothing.
 * Invariants:  none.
 * Threads:     any.
 * Ordering:    P1.
 * Progress:    wait-free.
 * Used by:     everybody.
 */
#pragma once
END
}

good_tree() {
    rm -rf "$tree"
    mkdir -p "$tree/src/platform" "$tree/src/arena" "$tree/src/owner" "$tree/src/service" \
        "$tree/src/front" "$tree/include/hepta" "$tree/docs"
    header_block > "$tree/src/platform/word.h"
    cat >> "$tree/src/platform/word.h" << 'END'
#include <stdatomic.h>
#if defined(__x86_64__)
#define HP_FAST 1
#endif
static inline int hp_word_read(const _Atomic int *word)
{
    /* acquire: P1, pairs with hp_word_write */
    return atomic_load_explicit(word, memory_order_acquire);
}
END
    header_block > "$tree/src/arena/arena.h"
    echo '#include "platform/word.h"' >> "$tree/src/arena/arena.h"
    echo '#include "arena/arena.h"' > "$tree/src/arena/arena.c"
    header_block > "$tree/src/service/purger.h"
    echo '#include "arena/arena.h"' >> "$tree/src/service/purger.h"
    printf '#include "hepta/hepta.h"\n#include "service/purger.h"\n' > "$tree/src/front/malloc.c"
    echo '#pragma once' > "$tree/include/hepta/hepta.h"
    printf '`word.h` `arena.[ch]` `purger.h` `malloc.c`\n' > "$tree/src/README.md"
    printf '| pair | writer |\n|---|---|\n| P1 | the writer |\n' > "$tree/docs/memory_order.md"
}

# with FILE [LINES on stdin]: a good tree with these lines at the end of a file.
with() {
    good_tree
    cat >> "$tree/$1"
}
