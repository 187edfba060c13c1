#!/bin/sh
# redis.sh: Debian's redis-server on the system's malloc, on jemalloc and on hepta.
#
# That redis links jemalloc. For the system's malloc libc itself is preloaded, so that its functions
# are found first; for jemalloc nothing is. Each run does the same work:
#
#   fill     200,000 keys with values of 64..1,024 bytes
#   load     redis-benchmark, pipelined, with values of 64, 256 and 1,024 bytes
#   churn    200,000 keys get values of other lengths
#   delete   19 keys of 20 go, in scattered order
#   idle     FLUSHALL, then nothing for 3 s
#
# A plain FLUSHALL makes redis ask jemalloc, and no other allocator, to return its memory.
#
#   BUILD=dir       where lib/libhepta.so.1 is and demo/ goes (default: build)
#   HEPTA_LIB=file  another library in hepta's place
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/common.sh"
. "$here/plot.sh"
. "$here/../../tools/servers.sh"

keys=200000
requests=100000
tests=set,get,incr,lpush,lpop,sadd,hset,zadd
idle_cs=300
slack_cs=40 # by how much a phase of a later run may be slower and still end in time

page_kib=$(($(getconf PAGESIZE) / 1024))
work=$(mktemp -d)
server='' sampler='' first_run=yes on_terminal=no
# Progress goes where errors go, also while those are hidden.
exec 3>&2
if [ -t 3 ]; then
    on_terminal=yes
fi

stop() {
    for process in "$@"; do
        kill "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
}

clean_up() {
    # shellcheck disable=SC2086 # numbers, or nothing
    stop $sampler $server
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# ---- time, in hundredths of a second --------------------

now_cs() {
    read -r up _ </proc/uptime
    echo "${up%.*}${up#*.}"
}

wait_until_cs() {
    left=$(($1 - $(now_cs)))
    if [ "$left" -gt 0 ]; then
        sleep "$(printf '%d.%02d' $((left / 100)) $((left % 100)))"
    fi
}

# ---- the server --------------------

client() {
    redis-cli -h 127.0.0.1 -p "$port" "$@"
}

# Somebody else may take the port before the server does; then it exits, and another is tried.
start_server() {
    for attempt in 1 2 3 4 5; do
        port=$(free_port)
        LD_PRELOAD=$1 redis-server --bind 127.0.0.1 --port "$port" --save '' --appendonly no \
            --dir "$work" --logfile "$out/redis.log" </dev/null &
        server=$!
        while kill -0 "$server" 2>/dev/null; do
            if [ "$(client ping 2>/dev/null)" = PONG ]; then
                return
            fi
            sleep 0.05
        done
    done
    fail "redis-server did not start in $attempt tries; see $out/redis.log"
}

# The library must be mapped, and the server's calls must be bound to it.
check_allocator() {
    grep -qF "$(readlink -f "$2")" "/proc/$server/maps" || fail "$2 is not mapped"
    LD_BIND_NOW=1 LD_DEBUG=bindings LD_PRELOAD=$1 redis-server --version >"$work/bindings" 2>&1
    for function in malloc calloc realloc free malloc_usable_size; do
        bound=$(sed -n "s/.*file redis-server \[0\] to \([^ ]*\) .*symbol .$function'.*/\1/p" \
            "$work/bindings" | sort -u)
        if [ "$(readlink -f "$bound")" != "$(readlink -f "$2")" ]; then
            fail "redis-server's $function comes from $bound, not from $2"
        fi
    done
}

# ---- watching it --------------------

# The bytes that redis counts as its own; the server is not asked while it idles.
used_bytes() {
    client info memory 2>/dev/null | sed -n 's/^used_memory:\([0-9]*\).*/\1/p'
}

# Rows of the CSV file, every 100 ms; redis itself is asked at every third.
sample() {
    used=0 sample_number=0
    while read -r _ pages _ <"/proc/$server/statm"; do
        read -r phase <"$work/phase"
        if [ -s "$work/used_when_idle" ]; then
            read -r used <"$work/used_when_idle"
        elif [ "$phase" != idle ] && [ $((sample_number % 3)) = 0 ]; then
            used=$(used_bytes)
        fi
        sample_number=$((sample_number + 1))
        echo "$((($(now_cs) - begin_cs) * 10)),$phase,$((pages * page_kib)),$((used / 1024))"
        show_progress "$phase" "$pages"
        sleep 0.1
    done 2>/dev/null
}

show_progress() {
    if [ "$on_terminal" = yes ]; then
        printf '\r%-14s %-10s  RSS %4d MiB\033[K' "$label" "$1" $(($2 * page_kib / 1024)) >&3
    fi
}

# Begins a phase when its time has come. The first run sets the times and leaves some slack, so that
# the same phases of all runs lie above each other in the picture.
begin_phase() {
    if [ "$first_run" = yes ]; then
        wait_until_cs $(($(now_cs) + slack_cs))
        echo "$1 $(($(now_cs) - begin_cs))" >>"$work/schedule"
    else
        wait_until_cs $((begin_cs + $(awk -v name="$1" '$1 == name { print $2 }' "$work/schedule")))
    fi
    echo "$1" >"$work/phase"
    if [ "$on_terminal" = no ]; then
        printf '%-14s %s\n' "$label" "$1" >&3
    fi
}

# ---- the work --------------------

send() {
    awk -v mode="$1" -v keys="$keys" -f "$here/redis_load.awk" | client --pipe >"$work/replies"
    grep -q 'errors: 0,' "$work/replies" || fail "$1: $(cat "$work/replies")"
}

# benchmark BYTES: the length of the values.
benchmark() {
    redis-benchmark -h 127.0.0.1 -p "$port" -t "$tests" -n "$requests" -r "$keys" -c 50 -P 16 \
        -d "$1" --csv 2>/dev/null | tr -d '"' | sed "1d; s/^/$name,/" >>"$work/rates"
}

start_sampler() {
    echo start >"$work/phase"
    : >"$work/used_when_idle"
    begin_cs=$(now_cs)
    printf '# bench/demo/redis.sh, %s\ntime_ms,phase,rss_kib,live_kib\n' "$label" >"$csv"
    sample >>"$csv" &
    sampler=$!
}

# run_on NAME PRELOAD LIBRARY: the library is the one that must serve malloc.
run_on() {
    name=$1 preload=$2
    label=$(echo "$name" | tr _ ' ')
    csv=$out/redis-$name.csv
    start_server "$preload"
    check_allocator "$preload" "$3"
    start_sampler

    begin_phase fill
    send fill
    for value_bytes in 64 256 1024; do
        begin_phase "load_${value_bytes}_B"
        benchmark "$value_bytes"
    done
    begin_phase churn
    send churn
    begin_phase delete
    send delete
    wait_until_cs $(($(now_cs) + idle_cs))
    deleted_kib=$(tail -n 1 "$csv" | cut -d, -f3)
    begin_phase idle
    client flushall >/dev/null
    used_bytes >"$work/used_when_idle"
    wait_until_cs $(($(now_cs) + idle_cs))

    peak_kib=$(awk '/^VmHWM:/ { print $2 }' "/proc/$server/status")
    idle_kib=$(awk '/^VmRSS:/ { print $2 }' "/proc/$server/status")
    threads=$(awk '/^Threads:/ { print $2 }' "/proc/$server/status")
    stop "$sampler" "$server"
    server='' sampler=''
    echo "$name,$peak_kib,$deleted_kib,$idle_kib,$threads" >>"$work/memory"
    if [ "$on_terminal" = yes ]; then
        echo >&3
    fi
    first_run=no
}

need_hepta
libc=$(library libc.so.6)
jemalloc=$(library libjemalloc.so.2)
: >"$out/redis.log"

run_on system_malloc "$libc" "$libc"
if [ -n "$jemalloc" ]; then
    run_on jemalloc '' "$jemalloc"
fi
run_on hepta "$hepta" "$hepta"

{
    echo "# bench/demo/redis.sh, $(redis-server --version | sed 's/.* v=\([^ ]*\).*/redis \1/')"
    echo "# $(machine)"
    awk -f "$here/redis_table.awk" "$work/rates" "$work/memory"
} >"$out/redis-results.txt"
sed '/^#/d' "$out/redis-results.txt"
draw_rss redis-rss.svg 'What redis holds, and what its allocator keeps' \
    'Memory that redis-server occupies over time (resident set size)' \
    hepta redis-hepta.csv system_malloc redis-system_malloc.csv \
    ${jemalloc:+jemalloc redis-jemalloc.csv}
echo
echo "The picture: $out/redis-rss.svg"
