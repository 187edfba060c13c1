#!/bin/bash
# Memory goes back by the clock, and what the purger is to a process besides.
. "$(dirname "$0")/env/common.sh"

program purger
program large_blocks

# scenario NAME SENTENCE [VARIABLE...]
scenario() {
    local name=$1 sentence=$2
    shift 2
    succeeds "$sentence" "${on_hepta[@]}" "$@" "$scratch/purger" "$name"
}

scenario burst "a burst"
scenario few "few calls about large blocks"
scenario sleeper "a thread allocates, another one frees, the first sleeps"
scenario frees "one thread allocates, the next one only frees"
scenario idle "an idle process has no wakeups"
scenario signals "the purger takes no signals"
scenario single "a process with one thread gets no other"
scenario off "nor does any with purger:off" HEPTA_OPTIONS=purger:off
scenario fork "a forked child"
scenario main_leaves "main ends by pthread_exit, the process with its last thread"
succeeds "the same, with much left to do for a long time" timeout -k 1 10 "${on_hepta[@]}" \
    HEPTA_OPTIONS=decay_ms:60000 "$scratch/purger" main_leaves
# Every 63rd slow operation ticks: each of the frees inside libc is that one once.
# shellcheck disable=SC2016 # for the inner shell
succeeds "libc frees what ended threads had, under its own lock" bash -c '
    for operations in {0..63}; do
        LD_PRELOAD=$0 timeout -k 1 10 "$1" joins $operations || exit
    done' "$library" "$scratch/purger"
scenario fork_leaves "so does a child that a thread forked"
scenario trim "malloc_trim, where nothing decays" HEPTA_OPTIONS=decay_ms:-1
scenario burst "a burst with decay_ms:0" HEPTA_OPTIONS=decay_ms:0
scenario burst "a soft limit does not wait for decay_ms" HEPTA_OPTIONS=decay_ms:60000,soft_limit:4m
scenario burst "nor does it where nothing else decays" HEPTA_OPTIONS=decay_ms:-1,soft_limit:4m

for bytes in 12000 100000; do
    for what in decays forks; do
        succeeds "freed blocks of $bytes bytes that wait for the next ones: $what" "${on_hepta[@]}" \
            "$scratch/large_blocks" $what $bytes
    done
    # However long the program is kept from its call.
    succeeds "freed blocks of $bytes bytes that wait for the next ones: trims" "${on_hepta[@]}" \
        HEPTA_OPTIONS=decay_ms:600000 "$scratch/large_blocks" trims $bytes
done

# A cgroup file system of its own, with nothing in it but the limit of a group above the process's own.
if [ "$(id -u)" = 0 ] && unshare -m true 2> /dev/null && grep -q '^0::' /proc/self/cgroup; then
    # shellcheck disable=SC2016 # for the inner shell
    succeeds "memory.max of the control group is followed" unshare -m bash -c '
        mount -t tmpfs none /sys/fs/cgroup && mkdir -p "/sys/fs/cgroup$2" &&
        echo max > "/sys/fs/cgroup$2/memory.max" && echo 4194304 > /sys/fs/cgroup/memory.max &&
        HEPTA_OPTIONS=decay_ms:60000,limit:auto LD_PRELOAD=$0 exec "$1" burst' \
        "$library" "$scratch/purger" "$(sed -n 's/^0:://p' /proc/self/cgroup)"
else
    echo "a control group's limit is not shown: that needs root and mount namespaces"
fi
if [ "$(id -u)" = 0 ]; then
    chmod 755 "$scratch"
    scenario refused "the system refuses a thread"
    scenario locked "all memory is locked"
else
    echo "a refused thread and locked memory are not shown: that needs root"
fi

# thp: what the kernel was told stands in the flags of the mappings: nh, hg, or neither.
flags_are() { # WANTED OPTION
    "${on_hepta[@]}" HEPTA_OPTIONS="$2" /usr/bin/python3 -c '
import sys
blocks = [bytearray(100000) for _ in range(30)] + [bytearray(6000000)]
flags = [line.split() for line in open("/proc/self/smaps") if line.startswith("VmFlags")]
sys.exit(0 if any(sys.argv[1] in line for line in flags) else 1)' "$1"
}
if flags_are nh thp:never && flags_are hg thp:always && ! flags_are nh thp:default &&
    ! flags_are hg thp:default; then
    ok "thp tells the kernel about huge pages"
else
    failed "thp tells the kernel about huge pages"
fi

# dump: the flag dd says that a core file leaves a mapping out. MiB of memory that it leaves out, of 23 in runs, a
# part of which wait in front of their cores, and 8 in a kept mapping:
left_out_mib() { # OPTION
    "${on_hepta[@]}" HEPTA_OPTIONS="$1,decay_ms:-1" /usr/bin/python3 -c '
blocks = [bytearray(300000) for _ in range(100)]
del blocks[10:90]
block = bytearray(9000000)
del block
kib = resident = 0
for line in open("/proc/self/smaps"):
    words = line.split()
    if words[0] == "Rss:":
        resident = int(words[1])
    elif words[0] == "VmFlags:" and "dd" in words:
        kib += resident
print(kib // 1024)'
}
all=$(left_out_mib dump:all) live=$(left_out_mib dump:live)
if [ "$all" = 0 ] && [ "$live" -ge 15 ]; then
    ok "dump:live leaves free memory out of core files: $live MiB"
else
    failed "dump:live leaves free memory out of core files: $live MiB, and dump:all $all"
fi

# The idle process again, by strace: between the two marks nobody but the main thread calls the system.
if command -v strace > /dev/null && strace -o /dev/null true 2> /dev/null; then
    strace -f -o "$scratch/trace" "${on_hepta[@]}" "$scratch/purger" idle 2> /dev/null
    calls=$(sed -n '/write(2, "idle/,/write(2, "end/p' "$scratch/trace" | grep -vc '"idle\|"end\|nanosleep')
    if [ "$calls" = 0 ] && grep -q '"end' "$scratch/trace"; then
        ok "strace shows no system call of an idle process"
    else
        failed "strace shows $calls system calls of an idle process"
    fi
else
    echo "system calls of an idle process are not shown: that needs strace"
fi
finish
