#!/bin/bash
# redis-server: redis.sh redis-mix|redis-large|redis-churn [scale=F]
#
#   redis-mix    redis-benchmark with 50 connections, 16 requests at a time: strings, lists, sets, hashes and sorted
#                sets of values of 16 to 700 bytes, keys chosen at random
#   redis-large  the same for strings and lists of values of 3,000 to 20,000 bytes
#   redis-churn  keys get values of other lengths, most are deleted, new ones fill the holes
. "$(dirname "$0")/common.sh"

needs redis-server redis-benchmark redis-cli
# Debian's redis links jemalloc: for the system's malloc libc itself is preloaded, so that its functions come first.
libc=$(ldconfig -p | awk '$1 == "libc.so.6" && /x86-64/ { print $NF; exit }')

client() { redis-cli -h 127.0.0.1 -p "$port" "$@"; }

# benchmark TESTS REQUESTS KEYS BYTES...: so many requests of each test with values of each size.
benchmark() {
    local bytes
    for bytes in "${@:4}"; do
        redis-benchmark -h 127.0.0.1 -p "$port" -t "$1" -n "$2" -r "$3" -c 50 -P 16 -d "$bytes" -q || return
    done
}

# The server's own account: how many requests of each kind there were, and how many failed.
account() {
    client info commandstats | tr -d '\r' |
        sed -n 's/^cmdstat_\(set\|get\|incr\|lpush\|lpop\|sadd\|hset\|zadd\):\(calls=[0-9]*\),.*,\(rej.*\)/\1 \2 \3/p' |
        sort
}

make_churn() {
    local mode
    for mode in fill churn delete; do
        awk -v mode=$mode -v keys="$1" -f "$root/bench/demo/redis_load.awk" > "$mode"
    done
}

churn() {
    local mode
    for mode in fill churn delete churn delete fill; do
        client --pipe < "$input/$mode" | grep 'errors: 0,' || return
    done
}

export -f client benchmark churn
export input

# run_redis RESULT LOAD LIBRARY: the result is what RESULT says when the load is over.
run_redis() {
    serve "${3:-$libc}" redis-server --bind 127.0.0.1 --port PORT --save '' --appendonly no --dir "$scratch" \
        --enable-debug-command local
    loaded "$server" bash -c "$2" || return
    $1 > "$scratch/result"
    stop_server
}

case $row in
redis-mix)
    compared "$scratch/result" run_redis account \
        "benchmark set,get,incr,lpush,lpop,sadd,hset,zadd $(scaled 20000) 20000 16 120 700"
    ;;
redis-large)
    compared "$scratch/result" run_redis account "benchmark set,get,lpush,lpop $(scaled 12000) 2000 3000 8000 20000"
    ;;
redis-churn)
    data_set redis-churn make_churn "$(scaled 80000)"
    compared "$scratch/result" run_redis 'client debug digest' churn
    ;;
*) fail "no such row" ;;
esac
