#!/bin/bash
# The API is glibc's: each program of tests/api says the same on glibc's malloc and on hepta.
# BUILD is the build directory, HEPTA_LIB another library in hepta's place.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
library=${HEPTA_LIB:-${BUILD:-$root/build}/lib/libhepta.so}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

[ -r "$library" ] || { echo "$library is missing; run make first"; exit 1; }

# run LIBRARY NAME: the program's words, and its exit status as the last of them.
run() {
    LD_PRELOAD=$1 timeout -s KILL 60 "$scratch/$2" 2>&1
    echo "exit status $?"
}

for source in "$root"/tests/api/*.c; do
    name=$(basename "$source" .c)
    ${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O1 -fno-builtin -Wall -Wextra -Werror \
        -Wno-deprecated-declarations "$source" -o "$scratch/$name" || { failed=1; continue; }
    run '' "$name" > "$scratch/$name.glibc"
    run "$library" "$name" > "$scratch/$name.hepta"
    if ! tail -n 1 "$scratch/$name.glibc" | grep -qx 'exit status 0'; then
        echo "FAIL $name does not run on glibc"
        tail -n 3 "$scratch/$name.glibc"
        failed=1
    elif diff "$scratch/$name.glibc" "$scratch/$name.hepta" > "$scratch/diff"; then
        echo "ok   ${name//_/ }: $(($(wc -l < "$scratch/$name.glibc") - 1)) answers as on glibc"
    else
        echo "FAIL ${name//_/ }: < glibc, > hepta"
        sed 's/^/    /' "$scratch/diff"
        failed=1
    fi
done
exit $failed
