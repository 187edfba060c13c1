#!/bin/bash
# nginx on hepta: two worker processes with a thread pool serve 2,000 requests.
# shellcheck disable=SC2016 # what is in single quotes is for the inner shells
. "$(dirname "$0")/programs/common.sh"

PATH=$PATH:/usr/sbin
needs nginx curl

mkdir "$scratch/www"
seq 1 20 > "$scratch/www/small"
seq 1 100000 > "$scratch/www/large"
for _ in 1 2 3; do
    port=$(free_port)
    cat > "$scratch/nginx.conf" << CONF
daemon off;
pid $scratch/nginx.pid;
error_log $scratch/error.log warn;
worker_processes 2;
$([ "$(id -u)" != 0 ] || echo "user $(id -un) $(id -gn);")
thread_pool default threads=4;
events { worker_connections 128; }
http {
    access_log off;
    aio threads=default;
    output_buffers 2 32k;
    sendfile off;
    gzip on;
    gzip_min_length 10;
    gzip_types *;
    client_body_temp_path $scratch/body;
    proxy_temp_path $scratch/proxy;
    fastcgi_temp_path $scratch/fastcgi;
    uwsgi_temp_path $scratch/uwsgi;
    scgi_temp_path $scratch/scgi;
    server { listen 127.0.0.1:$port; root $scratch/www; }
}
CONF
    LD_PRELOAD=$library nginx -c "$scratch/nginx.conf" -e "$scratch/error.log" \
        > "$scratch/log" 2>&1 < /dev/null &
    server=$!
    servers+=("$server")
    until_true 5 curl -sf "http://127.0.0.1:$port/small" && break
done
expect_binds nginx -V
workers=$(pgrep -P "$server")
# shellcheck disable=SC2086 # numbers
if [ "$(echo "$workers" | wc -l)" = 2 ] && hepta_serves "$server" $workers; then
    ok "the master and two workers run, and hepta is mapped in all of them"
else
    failed "not three processes on hepta"
fi
load() {
    curl -sf --parallel --parallel-max 16 -o /dev/null "http://127.0.0.1:$port/$1?[1-$2]"
}
export port
export -f load
succeeds "1,800 small files" bash -c 'load small 1800'
succeeds "200 large files, read by the thread pool" bash -c 'load large 200'
curl -s --compressed "http://127.0.0.1:$port/large" > "$scratch/got"
if cmp -s "$scratch/got" "$scratch/www/large"; then
    ok "a large file arrives whole, compressed on its way"
else
    failed "a large file does not arrive whole"
fi
kill -HUP "$server"
succeeds "new workers after a reload" bash -c '
    for _ in $(seq 100); do load small 5 && break; sleep 0.05; done; load small 50'
stops_well "$server" "the server ends well"
if [ -s "$scratch/error.log" ] && grep -E 'alert|emerg|crit' "$scratch/error.log"; then
    failed "the error log is not clean"
fi
finish
