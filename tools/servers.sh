# shellcheck shell=sh
# servers.sh: what every script needs that starts a server on this machine. To be sourced, by sh or bash.

# A port that nobody listens on, below those that the kernel gives to clients. Somebody else may take it before
# the server does: then the server does not start, and another port is tried.
free_port() {
    while :; do
        candidate=$(shuf -i 20000-32000 -n 1)
        if ! grep -qs ": [0-9A-F]*:$(printf '%04X' "$candidate") " /proc/net/tcp /proc/net/tcp6; then
            echo "$candidate"
            return
        fi
    done
}

# until_true SECONDS COMMAND...: tries again every 50 ms.
until_true() {
    tries_left=$(($1 * 20))
    shift
    while ! "$@" > /dev/null 2>&1; do
        tries_left=$((tries_left - 1))
        [ "$tries_left" -gt 0 ] || return 1
        sleep 0.05
    done
}

# listens PID PORT: the process itself has the port, and not somebody else.
listens() {
    listening_socket=$(awk -v port=":$(printf '%04X' "$2")" \
        '$4 == "0A" && substr($2, length($2) - 4) == port { print $10; exit }' /proc/net/tcp)
    [ -n "$listening_socket" ] &&
        find "/proc/$1/fd" -lname "socket:\[$listening_socket\]" 2> /dev/null | grep -q .
}
