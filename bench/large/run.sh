#!/usr/bin/env bash
# Large blocks on hepta, the system's malloc and the installed peers, ROUNDS times in turn (default 5):
# ns per operation and peak RSS in MiB, each the median. ALLOC="name=/path/lib.so ..." adds others.
set -eu
cd "$(dirname "$0")/../.."
rounds=${ROUNDS:-5}
. bench/support/in_turn.sh large

measure() { # title, arguments of the program
    title=$1
    shift
    : >"$results"
    for ((round = 1; round <= rounds; round++)); do
        for allocator in "${allocators[@]}"; do
            printf '\r%-50s round %d of %d, %-10s' "$title" "$round" "$rounds" "${allocator%%=*}" >&2
            echo "${allocator%%=*} $(LD_PRELOAD=${allocator#*=} "$program" "$@")" >>"$results"
        done
    done
    printf '\r%80s\r' '' >&2
    echo "$title"
    for allocator in "${allocators[@]}"; do
        name=${allocator%%=*}
        printf '  %-10s %10s ns %8s MiB\n' "$name" \
            "$(awk -v name="$name" '$1 == name { print $2 }' "$results" | sort -g | sed -n "$(((rounds + 1) / 2))p")" \
            "$(awk -v name="$name" '$1 == name { print $3 }' "$results" | sort -g | sed -n "$(((rounds + 1) / 2))p")"
    done
}

measure "pairs of 100,000 bytes" pair 100000 2000000
measure "pairs of 1,000,000 bytes" pair 1000000 2000000
for threads in 2 10 16; do
    measure "24 MiB live, 1 to 100,000 bytes, $threads threads" live "$threads" 24 1 100000 50000
    measure "24 MiB live, 33,000 to 100,000 bytes, $threads threads" live "$threads" 24 33000 100000 50000
done
measure "200 MiB live, 5 to 25 MB, 2 threads" live 2 200 5000000 25000000 500
measure "a vector grows from 32 KiB to 4 MiB by half" grow 32768 4194304 50 500
measure "a vector grows from 32 KiB to 4 MiB by 4 %" grow 32768 4194304 4 500
measure "two vectors grow by turns, by half" grow2 32768 4194304 50 500
measure "a vector grows from 4 to 64 MiB by half" grow 4194304 67108864 50 20
