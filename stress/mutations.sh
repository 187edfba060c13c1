#!/bin/bash
# mutations.sh [FILE SED PROGRAM]...: does ThreadSanitizer notice an order that is weakened?
#
#   FILE     a source file, from the root of the project
#   SED      a sed expression that changes it
#   PROGRAM  the stress program that shall notice
#
# Each mutation is made in a copy of the sources, built as `make stress-tsan` builds, and run until
# ThreadSanitizer reports a data race. Without arguments: the list below. Status 0 when every mutation
# was caught, 1 when one was not, 2 when the sources as they are do not pass or a mutation does not
# apply: then nothing was shown.
#
#   BUILD_ROOT  or the variable BUILD of make, or build: the copy goes to mutations/ in there
#   TRIES       runs per mutation, each with another seed (8)
#   TRY_SECONDS length of a run (5)
set -u

# weaken ORDER PAIR: the first atomic statement with this order below the comment on this pair.
weaken() {
    echo "/$1: $2/,/memory_order_$1/ s/memory_order_$1/memory_order_relaxed/"
}

default_list() {
    mutation src/platform/claim.h "$(weaken release 'P1,')" pipeline
    mutation src/owner/pack.h "$(weaken acq_rel 'P17, pairs with the pop')" pipeline
    # Either of these alone hides behind the other.
    mutation src/owner/inbox.c \
        "$(weaken release 'P3,'); $(weaken acq_rel 'P4, pairs with the exchange')" pipeline
}

project=$(cd "$(dirname "$0")/.." && pwd) || exit 2
root=${BUILD_ROOT:-${BUILD:-$project/build}}
tries=${TRIES:-8}
try_seconds=${TRY_SECONDS:-5}
work=$root/mutations
copy=$work/sources
report='WARNING: ThreadSanitizer: data race'
passed=
caught=0
missed=0

give_up() {
    echo "mutations.sh: $*" >&2
    exit 2
}

# Builds the program from the copy; what did not change is not built again.
build() {
    make -C "$copy" --no-print-directory -j2 BUILD="$work/build" "$work/build/stress/tsan/$1" \
        >"$work/make.log" 2>&1 || { cat "$work/make.log"; give_up "$1 does not build"; }
}

run() {
    BUILD_ROOT=$work/build PROGRAMS=$1 "$copy/stress/run.sh" tsan "$try_seconds" "$2" \
        >"$work/run.log" 2>&1
}

# Without this a report would not speak of the mutation. Once for each program.
expect_pass_unchanged() {
    case " $passed " in *" $1 "*) return ;; esac
    passed="$passed $1"
    build "$1"
    run "$1" 1 || { cat "$work/run.log"; give_up "$1 fails on the sources as they are"; }
    echo "unchanged: $(tail -n 1 "$work/run.log")"
}

# Both directions leave a new time on the file, so that make builds again what depends on it.
mutate() {
    cp "$copy/$1" "$work/original" || give_up "there is no $1"
    sed "$2" "$work/original" >"$copy/$1" || give_up "sed cannot read: $2"
    cmp -s "$work/original" "$copy/$1" && give_up "$1 is not changed by: $2"
    diff "$work/original" "$copy/$1" | sed -n "s|^[<>]|$1: &|p"
}

restore() {
    cat "$work/original" >"$copy/$1"
}

mutation() {
    expect_pass_unchanged "$3"
    mutate "$1" "$2"
    build "$3"
    try=0
    while [ $((try += 1)) -le "$tries" ]; do
        if ! run "$3" "$try" && grep -q "$report" "$work/run.log"; then
            echo "caught by $3 in run $try:"
            grep -A 4 "$report" "$work/run.log" | sed 's/^/    /'
            caught=$((caught + 1))
            restore "$1"
            return
        fi
    done
    echo "NOT CAUGHT by $3 in $tries runs of $try_seconds s; the last one:"
    tail -n 3 "$work/run.log" | sed 's/^/    /'
    missed=$((missed + 1))
    restore "$1"
}

[ $(($# % 3)) -eq 0 ] || give_up "the arguments are FILE SED PROGRAM, any number of times"
mkdir -p "$work" || give_up "cannot write to $work"
work=$(cd "$work" && pwd)
copy=$work/sources
rm -rf "$copy"
mkdir "$copy"
# New times on all files: objects of an earlier run must not pass for these sources.
cp -R "$project"/{Makefile,make,src,include,stress,tools} "$copy" || give_up "cannot copy the sources"

if [ $# -eq 0 ]; then
    default_list
fi
while [ $# -ge 3 ]; do
    mutation "$1" "$2" "$3"
    shift 3
done
echo "$caught caught, $missed not caught"
[ "$missed" -eq 0 ]
