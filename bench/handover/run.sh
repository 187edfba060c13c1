#!/usr/bin/env bash
# One producer, one consumer: nanoseconds per message, on hepta, the system's malloc and the installed
# peers in turn, ROUNDS times (default 7); the median with the smallest and the largest, and the ratio of
# hepta's median to the best peer's. ALLOC="name=/path/lib.so ..." adds others.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
rounds=${ROUNDS:-7}
program=$build/bench/handover
mkdir -p "$build/bench"
"${CC:-gcc}" -std=gnu11 -O2 -fno-builtin -Wall -Wextra -Werror bench/handover/handover.c -o "$program" -lpthread
allocators=("hepta=$(realpath "$build/lib/libhepta.so.1")" "libc=")
for peer in jemalloc=libjemalloc.so.2 mimalloc=libmimalloc.so.2.0 tcmalloc=libtcmalloc_minimal.so.4; do
    path=/usr/lib/$(uname -m)-linux-gnu/${peer#*=}
    if [ -e "$path" ]; then allocators+=("${peer%%=*}=$path"); fi
done
# shellcheck disable=SC2206
allocators+=(${ALLOC:-})
results=$(mktemp)
trap 'rm -f "$results"' EXIT
for bytes in 64 512 0; do
    : >"$results"
    for ((round = 1; round <= rounds; round++)); do
        for allocator in "${allocators[@]}"; do
            printf '\r%s bytes, round %d of %d, %-10s' "$bytes" "$round" "$rounds" "${allocator%%=*}" >&2
            echo "${allocator%%=*} $(LD_PRELOAD=${allocator#*=} "$program" "$bytes" "${MESSAGES:-10000000}")" >>"$results"
        done
    done
    printf '\r%60s\r' '' >&2
    [ "$bytes" = 0 ] && echo "messages of 16 to 512 bytes, ns per message" || echo "messages of $bytes bytes, ns per message"
    sort -k1,1 -k2,2g "$results" | awk '
        { times[$1, ++count[$1]] = $2 }
        END {
            for (name in count) {
                median[name] = times[name, int((count[name] + 1) / 2)]
                if (name != "hepta" && (best == "" || median[name] < median[best])) best = name
            }
            for (name in count)
                printf "  %-10s %7.2f   (%.2f .. %.2f)\n", name, median[name], times[name, 1], times[name, count[name]]
            printf "  hepta / %s: %.2f\n", best, median["hepta"] / median[best]
        }'
done
