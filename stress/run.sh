#!/bin/bash
# run.sh BUILD SECONDS [SEED]: the stress programs of one build, each for its share of the time.
#
#   BUILD    plain, tsan, asan or ubsan: the programs lie in $BUILD_ROOT/stress/BUILD
#            (BUILD_ROOT, or the variable BUILD that make sets, or build)
#   SECONDS  of all programs together; 10 is enough for a short pass
#   SEED     the same one for all programs; also taken from the variable SEED; default: random
#
# PROGRAMS='pipeline churn' in the environment runs these only. One line for each program. The first failure ends the run with that program's whole output, the
# command to repeat it, and status 1.
set -u

root=${BUILD_ROOT:-${BUILD:-build}}
usage='usage: run.sh plain|tsan|asan|ubsan SECONDS [SEED]'
build=${1:?$usage}
total=${2:?$usage}
seed=${3:-${SEED:-}}
all='pipeline churn free_only sleeper fork_storm realloc_mix shifting refused oversubscribed'
runner=

case $build in
plain)
    arguments= ;;
tsan)
    # ThreadSanitizer's own teardown of a thread is the last destructor round: use the one before.
    arguments='bounded=0 live_mib=8 watchdog=150 destructor_round=3'
    # Its shadow does not fit every layout that the kernel may choose at random.
    if setarch -R true 2>/dev/null; then
        runner='setarch -R'
    fi ;;
asan)
    # A lock of AddressSanitizer's own allocator may be held by another thread at the time of the
    # fork; only the start of a thread needs that allocator.
    arguments='bounded=0 live_mib=64 watchdog=90 child_threads=0' ;;
ubsan)
    arguments='bounded=0 live_mib=64 watchdog=60' ;;
*)
    echo "$usage" >&2
    exit 2 ;;
esac
export TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1"
export ASAN_OPTIONS="detect_leaks=0"
export UBSAN_OPTIONS="halt_on_error=1 print_stacktrace=1"

# Why a program cannot run on this build; nothing when it can.
reason_to_skip() {
    case $build/$1 in
    tsan/fork_storm)
        echo "ThreadSanitizer cannot follow the child of a process with threads that starts a thread" ;;
    tsan/refused)
        echo "ThreadSanitizer's runtime needs memory of its own and ends the program when refused" ;;
    esac
}

programs=
for program in ${PROGRAMS:-$all}; do
    why=$(reason_to_skip "$program")
    if [ -n "$why" ]; then
        echo "$program: skipped on $build: $why"
    else
        programs="$programs $program"
    fi
done

share=$(awk -v total="$total" -v programs="$programs" '
    BEGIN {
        count = split(programs, names, " ")
        if (total + 0 <= 0 || count == 0) exit 1
        printf "%.2f", total / count
    }') || { echo "run.sh: no program, or SECONDS is not a positive number: '$total'" >&2; exit 2; }
# Far beyond what a slow sanitizer on a busy machine takes; a program's own watchdog comes first.
limit=$(awk -v share="$share" 'BEGIN { printf "%d", share * 20 + 600 }')

output=$(mktemp) || exit 2
trap 'rm -f "$output"' EXIT

for program in $programs; do
    command="${runner:+$runner }$root/stress/$build/$program seconds=$share${arguments:+ $arguments}"
    # The outer redirection is for the shell's own word about a program that was killed.
    # shellcheck disable=SC2086 # words on purpose
    {
        timeout --kill-after=10 "$limit" $command ${seed:+seed=$seed} >"$output" 2>&1 </dev/null
        status=$?
    } 2>/dev/null
    if [ $status -eq 0 ] && tail -n 1 "$output" | grep -q "^$program: ok "; then
        tail -n 1 "$output"
    else
        cat "$output"
        used=$(sed -n "s/^$program: seed=\([0-9]*\) .*/\1/p" "$output" | head -n 1)
        echo "$program: FAILED on $build with status $status, seed ${used:-unknown}"
        echo "repeat: TSAN_OPTIONS='$TSAN_OPTIONS' ASAN_OPTIONS='$ASAN_OPTIONS'" \
            "UBSAN_OPTIONS='$UBSAN_OPTIONS' $command seed=${used:-${seed:-1}}"
        exit 1
    fi
done
