#!/bin/bash
# Limits of the system: address space, private memory, locked memory, mappings, processors.
. "$(dirname "$0")/env/common.sh"

for name in limited sandbox locked map_count mapping_growth kept_range owners; do
    program $name
done

# limited KIND SCENARIO BYTES BYTES SENTENCE: with 256 MiB of address space or of private memory.
limited() {
    local sentence=$5 what='address space'
    [ "$1" = as ] || what='private memory'
    succeeds "256 MiB of $what: $sentence" "${on_hepta[@]}" "$scratch/limited" "$1" 256 "$2" "$3" "$4"
}

for kind in as data; do
    for bytes in 128 500 20000 65536 3000000 20000000; do
        limited $kind again $bytes 0 "fill, free and fill again with blocks of $bytes"
    done
    while read -r bytes other; do
        limited $kind change "$bytes" "$other" "blocks of $other after blocks of $bytes"
    done << 'PAIRS'
128 65536
65536 128
500 20000
128 10000000
65536 10000000
3000000 10000000
10000000 128
10000000 65536
PAIRS
    for bytes in 128 70000 10000000; do
        limited $kind thread $bytes 0 "another thread frees all blocks of $bytes"
    done
    limited $kind fail 0 0 "a failure changes nothing"
    limited $kind grow 0 0 "realloc needs no more than what it was asked for"
done

# limited_program SENTENCE COMMAND...: in 256 MiB of address space.
limited_program() {
    local sentence=$1
    shift
    # shellcheck disable=SC2016 # for the inner shell
    succeeds "256 MiB of address space: $sentence" bash -c \
        'ulimit -v 262144 && LD_PRELOAD=$0 exec "$@"' "$library" "$@"
}
limited_program "python runs into MemoryError and goes on" /usr/bin/python3 -c '
blocks = []
for _ in range(3):
    try:
        while True:
            blocks.append(bytearray(100000) + b"x" * len(blocks))
    except MemoryError:
        count = len(blocks)
        blocks = None
        blocks = []
assert count > 500, count
assert len([str(number) for number in range(100000)]) == 100000
print(count, "blocks of 100,000 bytes at last")'
# shellcheck disable=SC2016 # for perl
limited_program "perl sorts" perl -e '
my %h = map { $_ => "x" x ($_ % 100) } 1 .. 100000; my @s = sort { $h{$a} cmp $h{$b} } keys %h;
print scalar(@s), " keys\n"'

# shellcheck disable=SC2016 # for the inner shell
succeeds "600 MiB of address space: what is kept leaves room for the program's own mappings" bash -c \
    'ulimit -v 614400 && LD_PRELOAD=$0 exec "$1"' "$library" "$scratch/kept_range"

if [ "$(id -u)" = 0 ]; then
    succeeds "all memory locked from the start" "${on_hepta[@]}" "$scratch/locked"
    succeeds "all memory locked later" "${on_hepta[@]}" "$scratch/locked" late
else
    echo "mlockall is not shown: that needs root"
fi
succeeds "a sandbox that kills for calls which malloc does not usually make" "${on_hepta[@]}" "$scratch/sandbox"
succeeds "as many mappings as the kernel allows" "${on_hepta[@]}" "$scratch/map_count"
succeeds "mappings of a program with large blocks" "${on_hepta[@]}" "$scratch/mapping_growth"

# owners_are COUNT SENTENCE COMMAND...: one for each processor that may be used.
owners_are() {
    local wanted=$1 sentence=$2
    shift 2
    # The purger works with owners too, and may be in the way of the one thread that works.
    HEPTA_OPTIONS=purger:off succeeds "$sentence" "$@"
    [ "$(cat "$scratch/output")" = "$wanted" ] || failed "$sentence: there should be $wanted"
}
allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
owners_are 1 "owners on the last processor alone" taskset -c "${allowed##*[-,]}" \
    "${on_hepta[@]}" "$scratch/owners"
owners_are 1 "owners on the first processor alone" taskset -c "${allowed%%[-,]*}" \
    "${on_hepta[@]}" "$scratch/owners"
owners_are $(($(nproc) > 40 ? 40 : $(nproc))) "owners on all processors" \
    "${on_hepta[@]}" "$scratch/owners"
limit_of() { sed -n 's/^0:://p' /proc/self/cgroup; }
if [ "$(id -u)" = 0 ] && unshare -m true 2> /dev/null && [ -d /sys/fs/cgroup ] && [ -n "$(limit_of)" ]; then
    # A cgroup file system of its own, with nothing in it but the limit.
    # shellcheck disable=SC2016 # for the inner shell
    owners_are 1 "owners in a cgroup with half a processor" unshare -m bash -c '
        mount -t tmpfs none /sys/fs/cgroup && mkdir -p "/sys/fs/cgroup$2" &&
        echo "50000 100000" > "/sys/fs/cgroup$2/cpu.max" && LD_PRELOAD=$0 exec "$1"' \
        "$library" "$scratch/owners" "$(limit_of)"
else
    echo "a cgroup's cpu.max is not shown: that needs root and mount namespaces"
fi
finish
