#!/bin/bash
# memcached on hepta: four worker threads, values of all sizes up to 1 MiB, by several clients at once.
. "$(dirname "$0")/programs/common.sh"

needs memcached python3
expect_binds memcached --version

user=()
[ "$(id -u)" != 0 ] || user=(-u nobody)
for _ in 1 2 3; do
    port=$(free_port)
    LD_PRELOAD=$library memcached "${user[@]}" -l 127.0.0.1 -p "$port" -t 4 -m 64 -I 2m -c 200 \
        > "$scratch/log" 2>&1 < /dev/null &
    server=$!
    servers+=("$server")
    until_true 5 bash -c "exec 3<> /dev/tcp/127.0.0.1/$port" && break
done
if hepta_serves "$server"; then
    ok "the server runs, and hepta is mapped"
else
    failed "the server does not run on hepta"
fi
succeeds "8 clients store and read back" python3 "$root/tests/programs/memcached_load.py" "$port"
stops_well "$server" "the server ends well"
finish
