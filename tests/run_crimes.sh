#!/bin/bash
# Misuse is found out: the programs of tests/crimes, each with its arguments and in three ways.
#
#   default      HEPTA_OPTIONS is empty: the process says what is wrong and aborts. For a run marked
#                `late` that may be as late as the end of the process, else the bad call does it.
#   check        HEPTA_OPTIONS=check:on: the bad call does it, always
#   report_only  the line appears, nothing else happens, the exit status is 0
#
# run_crimes.sh [WORD...] takes the programs whose names contain one of the words. BUILD is the build
# directory, HEPTA_LIB another library in hepta's place.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
library=${HEPTA_LIB:-${BUILD:-$root/build}/lib/libhepta.so}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

[ -r "$library" ] || { echo "$library is missing; run make first"; exit 1; }

fail() {
    echo "FAIL $*"
    failed=$((failed + 1))
}

# values KEY FILE: what stands behind `/* KEY: `.
values() { sed -n "s|^/\* $1: \(.*\) \*/\$|\1|p" "$2"; }

# said_as_expected: whether every line on stderr is one of those that the crime expects, and there is one.
said_as_expected() {
    local line wanted found
    [ ${#said[@]} -gt 0 ] || return 1
    for line in "${said[@]}"; do
        found=no
        for wanted in "${expected[@]}"; do
            wanted="hepta: $wanted"
            wanted=${wanted//'{call}'/$call}
            wanted=${wanted//'{pointer}'/$pointer}
            # shellcheck disable=SC2053 # {any} is a pattern
            [[ $line == ${wanted//'{any}'/0x*} ]] && found=yes
        done
        [ $found = yes ] || return 1
    done
}

# try MODE LATE OPTIONS ARGUMENT...: one run of $program.
try() {
    local mode=$1 late=$2 options=$3 said status wanted_status=134 returned=no pointer='' line
    local call=$4 why=''
    shift 3
    {
        LD_PRELOAD=$library HEPTA_OPTIONS=$options timeout -s KILL 10 "$scratch/$name" "$@" \
            > "$scratch/out" 2> "$scratch/err"
        status=$?
    } 2> /dev/null
    mapfile -t said < "$scratch/err"
    while read -r line; do
        case $line in
        about*) pointer=${line#about } ;;
        returned) returned=yes ;;
        esac
    done < "$scratch/out"
    [ "$mode" != report_only ] || wanted_status=0
    [ "${expected[0]}" != nothing ] || wanted_status=0
    [ $status = $wanted_status ] || why="exit status $status where $wanted_status was expected"
    if [ "${expected[0]}" = nothing ]; then
        [ ${#said[@]} = 0 ] || why="$why; it was not silent"
    else
        said_as_expected || why="$why; not the expected line"
        if [ "$mode" != report_only ] && [ "$late" = no ] && [ $returned = yes ]; then
            why="$why; not found by the call itself"
        fi
    fi
    if [ "$mode" = report_only ] && [ ${#said[@]} -lt "$least_lines" ]; then
        why="$why; ${#said[@]} lines where at least $least_lines were expected"
    fi
    if [ -n "$why" ]; then
        fail "$name $* ($mode): ${why#; }"
        printf '    about %s\n' "${pointer:-nothing}"
        [ ${#said[@]} = 0 ] || printf '    said %s\n' "${said[@]:0:5}"
    fi
}

# commit LATE ARGUMENT...: one run in each of the modes.
commit() {
    local late=$1
    shift
    runs=$((runs + 1))
    try default "$late" '' "$@"
    try check no check:on "$@"
    [ "${expected[0]}" = nothing ] || try report_only "$late" report_only:on "$@"
}

# commit_checked ARGUMENT...: what is found out only when no thread has a cache.
commit_checked() {
    runs=$((runs + 1))
    try check no check:on "$@"
}

run_crime() {
    local source=$1 runs=0 failed_before=$failed arguments least_lines
    name=$(basename "$source" .c)
    ${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O1 -fno-builtin -Wall -Wextra -Werror "$source" -o "$scratch/$name" \
        > "$scratch/err" 2>&1 || { fail "$name does not compile"; cat "$scratch/err"; return; }
    mapfile -t expected < <(values expect "$source")
    least_lines=$(values lines "$source")
    least_lines=${least_lines:-1}
    while read -r arguments; do
        # shellcheck disable=SC2086 # words on purpose
        [ -z "$arguments" ] || commit_checked $arguments
    done < <(values check "$source")
    while read -r arguments; do
        # shellcheck disable=SC2086 # words on purpose
        [ -z "$arguments" ] || commit yes $arguments
    done < <(values late "$source")
    while read -r arguments; do
        # shellcheck disable=SC2086 # words on purpose
        [ -z "$arguments" ] || commit no $arguments
    done < <(values each "$source")
    [ $runs -gt 0 ] || commit no ''
    [ $failed != "$failed_before" ] || echo "ok   ${name//_/ } ($runs ways)"
}

# The same overwriting on a library that checks its invariants in every step, by its prefixed names.
overwrite_checked() {
    local checked=${BUILD:-$root/build}/test/libhepta-test.a function flags=()
    [ -r "$checked" ] || make -s -C "$root" BUILD="${BUILD:-$root/build}" "$checked" > /dev/null || return 1
    for function in malloc free realloc malloc_usable_size malloc_trim; do
        flags+=("-D$function=hepta_$function")
    done
    ${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O1 -fno-builtin "${flags[@]}" \
        "$root/tests/crimes/writing_where_it_must_not.c" "$checked" -lurcu-bp -lurcu-common \
        -o "$scratch/checked" && timeout -s KILL 60 "$scratch/checked" 3 200000
}

for source in "$root"/tests/crimes/*.c; do
    [ $# = 0 ] || [[ $(basename "$source") =~ $(IFS='|'; echo "$*") ]] || continue
    run_crime "$source"
done
if [ $# = 0 ]; then
    if overwrite_checked > "$scratch/out" 2>&1; then
        echo "ok   writing where it must not, and every invariant holds"
    else
        fail "writing where it must not, on a library that checks its invariants"
        cat "$scratch/out"
    fi
fi
[ $failed = 0 ]
