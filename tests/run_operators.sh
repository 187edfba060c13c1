#!/bin/sh
# operator new and delete: the programs of tests/operators, by both compilers and in all the ways in
# which a program can get hepta. BUILD is the build directory.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
programs=$root/tests/operators
library=${BUILD:-$root/build}/lib
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# succeeds SENTENCE COMMAND...: shows what the command wrote when it fails.
succeeds() {
    sentence=$1
    shift
    if "$@" > "$scratch/output" 2>&1; then
        echo "ok   $sentence"
    else
        echo "FAIL $sentence: exit status $?"
        sed 's/^/    /' "$scratch/output"
        failures=$((failures + 1))
    fi
}

preloaded() { env LD_PRELOAD="$library/libhepta.so" "$@"; }
linked() { env LD_LIBRARY_PATH="$library" "$@"; }

# The operators of the program are hepta's only if hepta.o came into it.
whole_program() { nm "$1" | grep -q ' hepta_malloc$' && "$1"; }

try_program() {
    compiler=$1 name=$2
    object=$scratch/$name.o
    system="-lurcu-bp -lurcu-common -lpthread"
    $compiler -std=c++17 -fsized-deallocation -Wall -Werror -c "$programs/$name.cpp" -o "$object"
    $compiler "$object" -o "$scratch/$name-plain"
    $compiler "$object" -L"$library" -lhepta -o "$scratch/$name-shared"
    $compiler "$object" "$library/libhepta.a" $system -o "$scratch/$name-archive"
    $compiler -static "$object" "$library/libhepta.a" $system -o "$scratch/$name-static"
    succeeds "$name by $compiler, preloaded" preloaded "$scratch/$name-plain"
    succeeds "$name by $compiler, with -lhepta" linked "$scratch/$name-shared"
    succeeds "$name by $compiler, with libhepta.a" whole_program "$scratch/$name-archive"
    succeeds "$name by $compiler, with -static" whole_program "$scratch/$name-static"
}

for compiler in g++ "${CLANG:-clang}++"; do
    for name in forms handler replaced; do
        try_program "$compiler" $name
    done
done

g++ -std=c++17 -shared -fPIC "$programs/plugin.cpp" -o "$scratch/plugin.so"
gcc "$programs/plugin_host.c" -o "$scratch/plugin_host"
succeeds "a plugin in C++ in a program in C" \
    preloaded "$scratch/plugin_host" "$scratch/plugin.so"

gcc -fno-builtin "$programs/no_runtime.c" -L"$library" -lhepta -o "$scratch/no_runtime"
says_so_and_aborts() {
    status=0
    linked "$scratch/no_runtime" > "$scratch/said" 2>&1 || status=$?
    cat "$scratch/said"
    # The shell may add a line of its own.
    [ $status = 134 ] && [ "$(head -n 1 "$scratch/said")" = "hepta: operator new: out of memory" ]
}
succeeds "new without a C++ runtime reports and aborts" says_so_and_aborts

[ $failures = 0 ]
