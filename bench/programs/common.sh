# shellcheck shell=bash disable=SC2034,SC2154 # used by, and from, the scripts that source this
# Sourced by bench/programs/NAME.sh, each of which is some rows: NAME.sh ROW [scale=F]
#
# A row measures one process, with its children: it alone runs on BENCH_PRELOAD, the path of an allocator's library
# (empty: the system's malloc). What it says must be what it says on the system's malloc, which is found out
# when a row runs for the first time. Prints the line of bench/programs/measure.c; exits with 77 when the
# program is not installed.
#
#   BUILD=dir       where programs and data are (default: build)
#   BENCH_DATA=dir  where what the rows read is made, at first use (default: BUILD/bench/data)

set -eu
row=${1:?"usage: $0 row [scale=F]"}
scale=${2:-scale=1}
scale=${scale#scale=}
programs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$programs/../.." && pwd)
build=${BUILD:-$root/build}
measure=$build/bench/programs/measure
preload=${BENCH_PRELOAD:-}
scratch=$(mktemp -d)
server=''
. "$root/tools/servers.sh"

clean_up() {
    stop_server || true
    rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 143' INT TERM HUP

fail() {
    echo "$(basename "$0") $row: $*" >&2
    exit 1
}

# A place of its own for everything that programs keep in the user's directory.
export HOME=$scratch LC_ALL=C TMPDIR=$scratch
unset LD_PRELOAD
PATH=/usr/bin:$PATH:/usr/sbin
[ -x "$measure" ] || fail "$measure is missing; run make bench-programs first"
for library in ${preload//:/ }; do
    [ -r "$library" ] || fail "there is no $library"
done

needs() {
    local program
    for program in "$@"; do
        command -v "$program" > /dev/null || {
            echo "$(basename "$0") $row: $program is not installed" >&2
            exit 77
        }
    done
}

# scaled NUMBER: that much of it, at least 1.
scaled() { awk -v number="$1" -v scale="$scale" 'BEGIN { print int(number * scale + 0.999999) }'; }

# ---- data ----------------------------------------------------------------------------------------
# What is made depends on the files here and on the scale: another folder for others. It is made aside and moved
# in place, so that it is whole or not there.

made_by=$(
    cd "$programs"
    find . ../demo/redis_load.awk -type f -exec cksum {} + | sort -k3 | cksum | cut -d' ' -f1
)
all_data=${BENCH_DATA:-$build/bench/data}/programs
data=$all_data/$made_by/scale-$scale

# What files that have changed since have made is not needed any more.
begin_data() {
    [ ! -d "$all_data" ] || find "$all_data" -mindepth 1 -maxdepth 1 ! -name "$made_by" -exec rm -rf {} +
    mkdir -p "$data"
}

# data_set NAME COMMAND...: sets $input to a folder that COMMAND has filled, working in it.
data_set() {
    local making
    input=$data/$1
    shift
    [ ! -d "$input" ] || return 0
    begin_data
    making=$(mktemp -d "$data/making.XXXXXX")
    (cd "$making" && "$@" > /dev/null) || fail "cannot make $input"
    # Somebody else may have been quicker.
    mv -T "$making" "$input" 2> /dev/null || rm -rf "$making"
    [ -d "$input" ] || fail "cannot make $input"
}

# generated SCRIPT ARGUMENT...: a data set made by generate/SCRIPT.py.
generated() {
    data_set "$1" /usr/bin/python3 "$programs/generate/$1.py" "${@:2}"
}

# ---- measuring -----------------------------------------------------------------------------------

# compared RESULT RUN...: RUN LIBRARY leaves its line in $scratch/line and its result in the file RESULT, which
# must be the same on the preload as on the system's malloc. Prints the line.
compared() {
    local result=$1 expected=$data/expected-$row
    shift
    if [ ! -e "$expected" ]; then
        "$@" '' || fail "does not even run on the system's malloc"
        [ -s "$result" ] || fail "makes nothing"
        begin_data
        cksum < "$result" > "$scratch/expected"
        mv "$scratch/expected" "$expected"
        rm -f "$result"
    fi
    "$@" "$preload" || fail "exit status $?"
    cksum < "$result" | cmp -s - "$expected" ||
        fail "another result than on the system's malloc; rm -r $data if the program is a new one"
    cat "$scratch/line"
}

# measured RESULT COMMAND...: what the command costs; RESULT is a file that it makes, or `output`.
measured() {
    [ "$1" != output ] || set -- "$scratch/output" "${@:2}"
    command=("${@:2}")
    compared "$1" run_command
}

run_command() {
    restore
    "$measure" run "$1" "$scratch/output" "${command[@]}" > "$scratch/line"
}

# Redefined by a script whose command changes what it reads: called before each run.
restore() { :; }

# ---- servers -------------------------------------------------------------------------------------

# serve LIBRARY COMMAND...: starts a server; it gets a free port where COMMAND has PORT. Sets $port and $server.
serve() {
    local library=$1 attempt one
    shift
    for attempt in 1 2 3 4 5; do
        port=$(free_port)
        "$measure" serve "$library" "${@//PORT/$port}" > "$scratch/log" 2>&1 < /dev/null &
        server=$!
        until_true 10 serves_or_has_ended
        ! listens "$server" "$port" || break
        stop_server || true
    done
    [ -n "$server" ] || fail "the server does not start: $(tail -n 5 "$scratch/log")"
    for one in ${library//:/ }; do
        grep -qF "$(readlink -f "$one")" "/proc/$server/maps" || fail "$one is not in the server"
    done
    export port
}

serves_or_has_ended() { listens "$server" "$port" || has_ended "$server"; }

# stop_server: its exit status.
stop_server() {
    local process=$server
    server=''
    [ -n "$process" ] || return 0
    kill "$process" 2> /dev/null || true
    until_true 10 has_ended "$process" || kill -9 "$process" 2> /dev/null || true
    wait "$process"
}

# A child that has ended is a zombie until it is waited for.
has_ended() { ! grep -q '^State:[[:space:]]*[^Z]' "/proc/$1/status"; }

# loaded PROCESS COMMAND...: COMMAND is the load; what the process spends on it. It says its result.
loaded() {
    "$measure" server "$1" "$scratch/output" "${@:2}" > "$scratch/line"
}
