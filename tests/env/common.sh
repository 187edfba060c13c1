# shellcheck shell=bash
# Sourced by tests/env_*.sh: programs of tests/env, compiled and run on hepta.
#
# BUILD is the build directory, HEPTA_LIB another library in hepta's place. A script ends with `finish`.

set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${BUILD:-$root/build}
library=$(readlink -f "${HEPTA_LIB:-$build/lib/libhepta.so}")
scratch=$(mktemp -d)
failures=0
trap 'rm -rf "$scratch"' EXIT
trap 'exit 143' INT TERM HUP

[ -r "$library" ] || { echo "$build/lib/libhepta.so is missing; run make first"; exit 1; }
unset HEPTA_OPTIONS LD_PRELOAD
on_hepta=(env LD_PRELOAD="$library")

ok() { echo "ok   $1"; }
failed() {
    echo "FAIL $1"
    failures=$((failures + 1))
}

# program NAME [ARGUMENT...]: compiles tests/env/NAME.c to $scratch/NAME.
program() {
    local name=$1
    shift
    ${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O1 -fno-builtin -Wall -Wextra -Werror \
        "$root/tests/env/$name.c" "$@" -pthread -o "$scratch/$name" || exit 1
}

# succeeds SENTENCE COMMAND...: within 60 s and silent about misuse; a line it prints is shown.
succeeds() {
    local sentence=$1 status=0
    shift
    { timeout -k 1 60 "$@" > "$scratch/output" 2>&1 < /dev/null || status=$?; } 2> /dev/null
    if [ $status = 0 ] && ! grep -q '^hepta: ' "$scratch/output"; then
        ok "$sentence$(sed '1s/^/: /; q' "$scratch/output")"
    else
        failed "$sentence: exit status $status"
        tail -n 20 "$scratch/output" | sed 's/^/    /'
    fi
}

finish() { [ "$failures" = 0 ]; }
