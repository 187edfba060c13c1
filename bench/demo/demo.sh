#!/bin/sh
# demo.sh: a pipeline server (pipeline.c) on the system's malloc and on hepta: table and picture.
#
#   BUILD=dir       where lib/libhepta.so.1 is and demo/ goes (default: build)
#   CC=compiler     for the server itself (default: cc)
#   PEERS=1         also on jemalloc, mimalloc and tcmalloc, where they are installed
#   HEPTA_LIB=file  another library in hepta's place
#
# Arguments go to the server: see pipeline --help.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/common.sh"
. "$here/plot.sh"

server=$out/pipeline
results=$out/results.txt

build_server() {
    if [ -x "$server" ] && [ -z "$(find "$here" -name '*.[ch]' -newer "$server")" ]; then
        return
    fi
    # -fno-builtin: no call of malloc may be optimised away.
    ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -fno-builtin-malloc -fno-builtin-free -pthread \
        "$here"/*.c -lm -o "$server.new"
    mv "$server.new" "$server"
}

# run_on NAME LIBRARY [ARGUMENT]...; an empty LIBRARY is the system's malloc.
run_on() {
    name=$1 preload=$2
    shift 2
    label=$(echo "$name" | tr _ ' ')
    LD_PRELOAD=$preload "$server" --label "$label" --csv "$out/$name.csv" "$@" >"$out/result"
    from=$(sed -n 's/.* malloc_from=\([^ ]*\) .*/\1/p' "$out/result")
    if [ -n "$preload" ] && [ "$(readlink -f "$from")" != "$(readlink -f "$preload")" ]; then
        fail "malloc came from $from, not from $preload"
    fi
    cat "$out/result" >>"$results"
    rm "$out/result"
}

run_on_peers() {
    for peer in jemalloc:libjemalloc.so.2 mimalloc:libmimalloc.so.2 \
        tcmalloc:libtcmalloc_minimal.so.4; do
        found=$(library "${peer#*:}")
        if [ -n "$found" ]; then
            run_on "${peer%%:*}" "$found" "$@"
            plotted="$plotted ${peer%%:*} ${peer%%:*}.csv"
        fi
    done
}

print_table() {
    awk '
        function grouped(number,   text, tail) {
            text = sprintf("%.0f", number)
            while (length(text) > 3) {
                tail = "," substr(text, length(text) - 2) tail
                text = substr(text, 1, length(text) - 3)
            }
            return text tail
        }
        function mib(kib) { return sprintf(kib < 102400 ? "%.1f" : "%.0f", kib / 1024) }
        BEGIN {
            row = "%-15s %11s   %7s %7s %7s   %7s %12s %11s   %7s\n"
            printf "\n%27s   %-23s   %-32s\n", "", "  latency of malloc, ns", \
                "  memory occupied (RSS), MiB"
            printf row, "", "messages/s", "p50", "p99", "p99.9", "peak", "after burst", \
                "after idle", "threads"
        }
        /^result / {
            name = $0
            sub(/.* label=/, "", name)
            for (i = 2; i <= NF; i++)
                if (split($i, pair, "=") == 2) value[pair[1]] = pair[2]
            printf row, name, grouped(value["messages_per_second"]), grouped(value["p50_ns"]), \
                grouped(value["p99_ns"]), grouped(value["p999_ns"]), mib(value["peak_rss_kib"]), \
                mib(value["steady_rss_kib"]), mib(value["idle_rss_kib"]), value["threads"]
        }
        END {
            printf row, "(its own data)", "", "", "", "", mib(value["peak_live_kib"]), \
                mib(value["steady_live_kib"]), "0.0", ""
        }
    ' "$results"
}

need_hepta
build_server
plotted='hepta hepta.csv system_malloc system_malloc.csv'
{
    echo "# bench/demo/demo.sh $*"
    echo "# $(machine)"
} >"$results"

run_on system_malloc '' "$@"
run_on hepta "$hepta" "$@"
if [ "${PEERS:-0}" = 1 ]; then
    run_on_peers "$@"
fi

print_table
# Another program's work shows in the times, not in the memory.
read -r load _ </proc/loadavg
if awk -v load="$load" -v cpus="$(nproc)" 'BEGIN { exit !(load > cpus + 8.5) }'; then
    echo "(The machine was busy, load $load on $(nproc) CPUs: the times say little.)"
fi
echo
# shellcheck disable=SC2086 # pairs of a name and a file
draw_rss rss.svg 'What a server holds, and what its allocator keeps' \
    'Memory that a message pipeline occupies over time (resident set size; phases as in the run on hepta)' $plotted
echo "The picture: $out/rss.svg"
