# Sourced by the tests of the tools: a place to work in, and what may be expected of a command.

set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
tools=$root/tools
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

failures=0

# ok SENTENCE / failed SENTENCE
ok() { echo "ok   $1"; }
failed() {
    echo "FAIL $1"
    failures=$((failures + 1))
}

# expect STATUS TEXT SENTENCE COMMAND...: the command ends with the status and says the text.
expect() {
    wanted_status=$1 wanted_text=$2 sentence=$3
    shift 3
    status=0
    output=$("$@" 2>&1) || status=$?
    case $output in
    *"$wanted_text"*) says=yes ;;
    *) says=no ;;
    esac
    if [ "$status" = "$wanted_status" ] && [ $says = yes ]; then
        ok "$sentence"
    else
        failed "$sentence: status $status (wanted $wanted_status), wanted the text: $wanted_text"
        echo "$output" | sed 's/^/    /'
    fi
}

finish() { [ "$failures" = 0 ]; }
