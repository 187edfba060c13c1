#!/bin/bash
# nginx's worker, which serves files, half of them compressed on their way: nginx.sh nginx [scale=F]
. "$(dirname "$0")/common.sh"

needs nginx
files=200
generated site $files

write_configuration() {
    cat > "$scratch/nginx.conf.in" << CONF
daemon off;
pid $scratch/nginx.pid;
error_log $scratch/error.log warn;
worker_processes 1;
$([ "$(id -u)" != 0 ] || echo "user $(id -un) $(id -gn);")
events { worker_connections 128; }
http {
    access_log off;
    output_buffers 2 32k;
    sendfile off;
    gzip on;
    gzip_min_length 10;
    gzip_comp_level 1;
    gzip_types *;
    client_body_temp_path $scratch/body;
    proxy_temp_path $scratch/proxy;
    fastcgi_temp_path $scratch/fastcgi;
    uwsgi_temp_path $scratch/uwsgi;
    scgi_temp_path $scratch/scgi;
    server { listen 127.0.0.1:@port@; root $input; }
}
CONF
}

one_worker() {
    worker=$(pgrep -P "$server")
    [ "$(echo "$worker" | wc -l)" = 1 ]
}

run_nginx() {
    write_configuration
    serve "$1" sh -c "
        sed 's/@port@/PORT/' '$scratch/nginx.conf.in' > '$scratch/nginx.conf'
        exec nginx -c '$scratch/nginx.conf' -e '$scratch/error.log'"
    until_true 5 one_worker || fail "no worker"
    loaded "$worker" "$build/bench/programs/http_load" "$port" $files "$(scaled 8000)" || return
    stop_server
    ! grep -E '\[(warn|error|crit|alert|emerg)\]' "$scratch/error.log" >&2
}
compared "$scratch/output" run_nginx
