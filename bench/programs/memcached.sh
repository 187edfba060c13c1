#!/bin/bash
# memcached with two threads, 32 clients, values of 16 bytes to 64 KiB: memcached.sh memcached [scale=F]
. "$(dirname "$0")/common.sh"

needs memcached
user=()
[ "$(id -u)" != 0 ] || user=(-u root)

run_memcached() {
    serve "$1" memcached "${user[@]}" -l 127.0.0.1 -p PORT -t 2 -m 1024 -I 2m -c 200
    loaded "$server" "$build/bench/programs/memcached_load" "$port" "$(scaled 1000)" || return
    stop_server
}
compared "$scratch/output" run_memcached
