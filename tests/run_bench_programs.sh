#!/bin/bash
# The bench's rows of real programs, as little of them as there can be: each runs on hepta, with the result that it
# has on glibc's malloc, and tells what it took.
. "$(dirname "$0")/programs/common.sh"

export BENCH_SOURCE=$root/bench BENCH_DATA=$scratch/data SCALE=0.01 BENCH_PRELOAD=$library
figure='[0-9]+\.[0-9]{6}'
line="seconds=$figure cpu_seconds=$figure user_seconds=$figure system_seconds=$figure wall_seconds=$figure "
line+='peak_rss_kib=[0-9]{4,}'

# With this a program on hepta says so when it ends. The scripts themselves see to it that a server is on hepta.
export HEPTA_OPTIONS=stats:on
speaks_of_hepta() {
    case $1 in redis* | memcached | nginx) ;; *) grep -q '^hepta: process ' "$scratch/errors" ;; esac
}

row_runs() {
    local status=0
    timeout -k 5 60 sh -c "$2" > "$scratch/said" 2> "$scratch/errors" < /dev/null || status=$?
    if [ $status = 77 ]; then
        ok "$1: left out, $(cat "$scratch/errors")"
    elif [ $status = 0 ] && grep -qxE "$line" "$scratch/said" && speaks_of_hepta "$1"; then
        ok "$1"
    else
        failed "$1: exit status $status"
        tail -n 20 "$scratch/said" "$scratch/errors" | sed 's/^/    /'
    fi
}

rows=0
while IFS=$'\t' read -r name _ command kind; do
    [ "$kind" = self ] || failed "$name does not measure itself"
    row_runs "$name" "$command"
    rows=$((rows + 1))
done < "$root/bench/rows/programs.tsv"
[ $rows -ge 15 ] || failed "only $rows rows"

# What is wrong is found out, and then there are no figures.
unset HEPTA_OPTIONS
scripts=$root/bench/programs/scripts.sh
refuses() {
    local sentence=$1 text=$2
    shift 2
    if ! "$@" > "$scratch/said" 2> "$scratch/errors" && [ ! -s "$scratch/said" ] && grep -q "$text" "$scratch/errors"
    then
        ok "$sentence"
    else
        failed "$sentence"
    fi
}
refuses "a library that is not there is an error" 'there is no /nowhere' \
    env BENCH_PRELOAD=/nowhere "$scripts" perl-words scale=0.01
find "$scratch/data" -name expected-lua-tables -exec cp /dev/null {} \;
refuses "another result than on glibc's malloc is an error" 'another result' "$scripts" lua-tables scale=0.01
finish
