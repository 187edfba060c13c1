#!/usr/bin/env bash
# One producer, one consumer: nanoseconds per message, on hepta, the system's malloc and the installed
# peers in turn, ROUNDS times (default 7); the median with the smallest and the largest, and the ratio of
# hepta's median to the best peer's. ALLOC="name=/path/lib.so ..." adds others.
set -eu
cd "$(dirname "$0")/../.."
rounds=${ROUNDS:-7}
. bench/support/in_turn.sh handover
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
