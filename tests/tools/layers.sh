#!/bin/sh
# check_layers finds each kind of breach, in a tree that is otherwise good.
. "$(dirname "$0")/support/expect.sh"
. "$(dirname "$0")/support/tree.sh"

layers() { expect "$1" "$2" "$3" "$tools/check_layers" "$tree"; }

good_tree
layers 0 "check-layers: ok" "a good tree passes"

echo '#include "owner/owner.h"' | with src/arena/arena.c
header_block > "$tree/src/owner/owner.h"
echo '`owner.h`' >> "$tree/src/README.md"
layers 1 "src/arena/arena.c:2: arena includes owner/owner.h" "an upward include fails"

echo '#include "service/purger.h"' | with src/arena/arena.c
layers 1 "src/arena/arena.c:2: arena includes service/purger.h" "a floor that includes a service fails"

echo '#include "front/fast.h"' | with src/service/purger.h
header_block > "$tree/src/front/fast.h"
echo '`fast.h`' >> "$tree/src/README.md"
layers 1 "service includes front/fast.h" "a service that includes the front fails"

echo '#include "arena/gone.h"' | with src/arena/arena.c
layers 1 "arena/gone.h is not a path below src" "an include of what is not there fails"

echo '#include "hepta/hepta.h"' | with src/arena/arena.c
layers 1 "the public header is above arena" "the public header below the front fails"

echo '#include "arena/arena.c"' | with src/front/malloc.c
layers 1 "includes arena/arena.c, a .c" "a .c that includes a .c fails"

echo '#include <ck_stack.h>' | with src/arena/arena.c
layers 1 "ck_stack.h is met in src/platform only" "ConcurrencyKit above the platform fails"

echo '#include <urcu/rculist.h>' | with src/arena/arena.c
layers 1 "urcu/rculist.h is met in src/platform only" "liburcu above the platform fails"

printf '#ifdef HP_FAST\n#endif\n' | with src/arena/arena.c
layers 1 "src/arena/arena.c:2: #ifdef belongs in src/platform" "a conditional above the platform fails"

printf 'int f(void);\nint f(void)\n{\n    return munmap(0, 1);\n}\n' | with src/arena/arena.c
layers 1 "munmap() is called in src/platform only" "a system call above the platform fails"

printf '/* munmap(0, 1) */\nint f(void) { return table->munmap(0, 1); }\n' | with src/arena/arena.c
layers 0 "check-layers: ok" "a comment or a table's function named like a system call passes"

printf 'void f(void) { __asm__("" ::: "memory"); }\n' | with src/arena/arena.c
layers 1 "__asm__ belongs in src/platform" "assembly above the platform fails"

printf 'size_t hp_size(void);\n' | with src/arena/arena.h
layers 1 "src/arena/arena.h:1: does not compile alone" "a header that needs another before it fails"

echo '#include "arena/list.h"' | with src/arena/arena.h
header_block > "$tree/src/arena/list.h"
echo '#include "arena/arena.h"' >> "$tree/src/arena/list.h"
echo '`list.h`' >> "$tree/src/README.md"
layers 1 "includes itself" "headers that include each other fail"

echo 'int hp_x;' | with src/arena/forgotten.c
layers 1 "does not name arena/forgotten.c" "a file that src/README.md does not name fails"

echo '`old.c`' | with src/README.md
layers 1 "names old.c, which is not there" "a file that src/README.md names but is gone fails"

echo 'int hp_x;' | with src/stray.c
layers 1 "src/stray.c:1: is on no floor" "a file on no floor fails"

rm -rf "$tree/src"
layers 1 "no source at all" "an empty tree fails"

finish
