#!/bin/bash
# Debian's redis-server on hepta (it links jemalloc; the preload comes first), with redis-benchmark as load.
# shellcheck disable=SC2016 # what is in single quotes is for the inner shells
. "$(dirname "$0")/programs/common.sh"

needs redis-server redis-benchmark redis-cli
expect_binds redis-server --version

for _ in 1 2 3; do
    port=$(free_port)
    LD_PRELOAD=$library redis-server --bind 127.0.0.1 --port "$port" --save '' --appendonly no \
        --enable-debug-command local --dir "$scratch" > "$scratch/log" 2>&1 < /dev/null &
    server=$!
    servers+=("$server")
    until_true 5 redis-cli -h 127.0.0.1 -p "$port" ping && break
done
client() { redis-cli -h 127.0.0.1 -p "$port" "$@"; }
benchmark() {
    redis-benchmark -h 127.0.0.1 -p "$port" -n 30000 -r 20000 -c 30 -P 16 --csv "$@"
}
export port
export -f client benchmark

if hepta_serves "$server"; then
    ok "the server runs, and hepta is mapped"
else
    failed "the server does not run on hepta"
fi
succeeds "values of 16 to 3,000 bytes" bash -c 'for bytes in 16 200 3000; do
    benchmark -t set,get,lpush,lpop,sadd,hset,zadd,mset -d $bytes || exit 1; done'
succeeds "a large list, a large value, and their end" bash -c '
    client debug populate 100000 key 50 && client setrange large 20000000 end &&
    client unlink large && client debug reload && [ "$(client dbsize)" -ge 100000 ]'
succeeds "a snapshot by a child process" bash -c '
    client bgsave && for _ in $(seq 100); do
        client info persistence | grep -q rdb_bgsave_in_progress:0 && break; sleep 0.05; done
    client info persistence | grep -q rdb_last_bgsave_status:ok'
succeeds "all is freed by a thread in the background" bash -c '
    client memory stats > /dev/null && client flushall async && [ "$(client dbsize)" = 0 ]'
stops_well "$server" "the server ends well"
finish
