#!/bin/sh
# The runner of the tests: what it counts, shows and returns.
. "$(dirname "$0")/support/expect.sh"

run="$tools/run_tests"

expect 0 "2 passed, 0 failed" "tests that pass are counted" "$run" "one: true" "two: true"
expect 1 "1 passed, 1 failed" "one failed test is a failure" "$run" "one: true" "two: false"
expect 1 "0 passed, 0 failed" "no test at all is a failure" "$run"
expect 1 "FAIL two" "a failed test is named" "$run" "one: true" "two: exit 3"
expect 1 "    the reason" "what a failed test wrote is shown" "$run" "one: echo the reason >&2; exit 1"
expect 1 "killed by signal 6" "a test that aborts fails" "$run" 'one: kill -ABRT $$'
expect 1 "not found" "a program that was not built fails" "$run" "one: $scratch/none"
expect 1 "no end after 1 s" "a test that does not end is stopped" \
    "$run" --timeout 1 "one: sleep 61 & sleep 62"

last_line() { "$run" "one: true" "two: echo 9 passed, 9 failed; false" | tail -n 1; }
expect 0 "1 passed, 1 failed" "the count is the last line" last_line

left_behind() {
    "$run" "one: sleep 71.5 & true" > /dev/null
    ! pgrep -f 'sleep 71\.5' > /dev/null
}
expect 0 "" "what a test leaves running is stopped" left_behind

at_the_same_time() {
    "$run" --jobs 2 "one: mkfifo $scratch/fifo; echo x > $scratch/fifo" \
        "two: until [ -p $scratch/fifo ]; do :; done; read x < $scratch/fifo" --timeout 20
}
expect 0 "2 passed, 0 failed" "two tests run at the same time" at_the_same_time

finish
