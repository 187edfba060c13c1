#!/bin/bash
# Programs that are linked with hepta: -lhepta, the static library, fully static; in C and in C++; by gcc
# and clang.
. "$(dirname "$0")/programs/common.sh"

clang=${CLANG:-clang}
needs gcc g++ musl-gcc "$clang" "$clang++"
programs=$root/tests/programs
lib=$build/lib
system=(-lurcu-bp -lurcu-common -lpthread)

# link NAME COMPILER ARGUMENT...: the object, linked with the arguments.
link() {
    local name=$1
    shift
    "$@" -o "$scratch/$name" > "$scratch/output" 2>&1 ||
        { failed "$name does not link"; sed 's/^/    /' "$scratch/output"; return 1; }
}

try() {
    local language=$1 compiler=$2 object=$3
    link plain "$compiler" "$object" -pthread &&
        says "on hepta" "$language by $compiler, preloaded" "${on_hepta[@]}" "$scratch/plain"
    link shared "$compiler" "$object" -L"$lib" -lhepta -pthread &&
        says "on hepta" "$language by $compiler, -lhepta" env LD_LIBRARY_PATH="$lib" "$scratch/shared"
    link archive "$compiler" "$object" "$lib/libhepta.a" "${system[@]}" &&
        says "on hepta" "$language by $compiler, libhepta.a" "$scratch/archive"
    link static "$compiler" -static "$object" "$lib/libhepta.a" "${system[@]}" &&
        says "on hepta" "$language by $compiler, -static" "$scratch/static"
    link lto "$compiler" -flto -O2 "$object" "$lib/libhepta.a" "${system[@]}" &&
        says "on hepta" "$language by $compiler, libhepta.a and -flto" "$scratch/lto"
}

for compiler in gcc "$clang"; do
    $compiler -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -c "$programs/pipeline.c" \
        -o "$scratch/pipeline.o" || exit 1
    try C "$compiler" "$scratch/pipeline.o"
done
for compiler in g++ "$clang++"; do
    $compiler -std=c++17 -Wall -Wextra -Werror -O2 -c "$programs/words.cpp" -o "$scratch/words.o" || exit 1
    try C++ "$compiler" "$scratch/words.o"
done

# On musl, whose loader and libc know nothing of glibc. Debian's liburcu is built for glibc and needs one
# name more; the shared library is bound to glibc by it, so hepta comes into the program as an archive.
urcu=("$(gcc -print-file-name=liburcu-bp.a)" "$(gcc -print-file-name=liburcu-common.a)")
for way in -static -pie; do
    link musl musl-gcc -std=gnu11 -D_GNU_SOURCE -O2 "$way" "$programs/pipeline.c" "$programs/musl_names.c" \
        "$lib/libhepta.a" "${urcu[@]}" && says "on hepta" "C on musl, $way" "$scratch/musl"
done
finish
