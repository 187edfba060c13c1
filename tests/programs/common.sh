# shellcheck shell=bash disable=SC2034 # used by the scripts that source this
# Sourced by tests/programs_*.sh: a place to work in, hepta under a command, and what is expected of it.
#
# BUILD is the build directory, HEPTA_LIB another library in hepta's place. A script ends with `finish`.

set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${BUILD:-$root/build}
library=$(readlink -f "${HEPTA_LIB:-$build/lib/libhepta.so}")
scratch=$(mktemp -d)
failures=0
servers=()
. "$root/tools/servers.sh"

clean_up() {
    local server
    for server in "${servers[@]}"; do
        kill "$server" 2> /dev/null
        until_true 5 eval "! kill -0 $server" || kill -9 "$server" 2> /dev/null
    done
    rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 143' INT TERM HUP

[ -r "$library" ] || { echo "$build/lib/libhepta.so is missing; run make first"; exit 1; }

# A place of its own for everything that programs keep in the user's directory.
export HOME=$scratch LC_ALL=C TMPDIR=$scratch
unset HEPTA_OPTIONS LD_PRELOAD

needs() {
    local program
    for program in "$@"; do
        command -v "$program" > /dev/null || { echo "FAIL $program is missing; run make deps"; exit 1; }
    done
}

on_hepta=(env LD_PRELOAD="$library")

ok() { echo "ok   $1"; }
failed() {
    echo "FAIL $1"
    failures=$((failures + 1))
}

# succeeds SENTENCE COMMAND...: within 60 s, silent about misuse; shows what it wrote when it fails.
succeeds() {
    local sentence=$1 status=0
    shift
    timeout -k 1 60 "$@" > "$scratch/output" 2>&1 < /dev/null || status=$?
    if [ $status = 0 ] && ! grep -q '^hepta: ' "$scratch/output"; then
        ok "$sentence"
    else
        failed "$sentence: exit status $status"
        tail -n 30 "$scratch/output" | sed 's/^/    /'
    fi
}

# says TEXT SENTENCE COMMAND...: the same, and the text is a line of what it wrote.
says() {
    local text=$1 sentence=$2 before=$failures
    shift 2
    succeeds "$sentence" "$@"
    if [ $failures = "$before" ] && ! grep -qxF -e "$text" "$scratch/output"; then
        failed "$sentence: it did not say $text"
        tail -n 30 "$scratch/output" | sed 's/^/    /'
    fi
}

# hepta_serves PID...: the library is mapped in all of them.
hepta_serves() {
    local process
    for process in "$@"; do
        grep -qF "$library" "/proc/$process/maps" || return 1
    done
}

# binds PROGRAM ARGUMENT...: the loader binds the program's malloc to hepta. For a command that ends.
binds() {
    LD_BIND_NOW=1 LD_DEBUG=bindings LD_PRELOAD=$library timeout 60 "$@" 2>&1 < /dev/null |
        grep -qE "to $library \[0\]: normal symbol .(malloc|calloc)'"
}

expect_binds() {
    local program=$1
    if binds "$@"; then
        ok "$(basename "$program"): its malloc is hepta's"
    else
        failed "$(basename "$program"): its malloc is not hepta's"
    fi
}

# stops_well PID SENTENCE: SIGTERM ends the server with status 0 in 10 s, and it never spoke of a misuse.
stops_well() {
    local process=$1 sentence=$2 status=0
    kill "$process" 2> /dev/null
    until_true 10 eval "! kill -0 $process 2> /dev/null" || kill -9 "$process" 2> /dev/null
    wait "$process" || status=$?
    servers=()
    if [ $status = 0 ] && ! grep -qs '^hepta: ' "$scratch/log"; then
        ok "$sentence"
    else
        failed "$sentence: exit status $status"
        tail -n 20 "$scratch/log" | sed 's/^/    /'
    fi
}

finish() { [ "$failures" = 0 ]; }
