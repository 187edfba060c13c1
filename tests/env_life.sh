#!/bin/bash
# The life of a process and of its threads: calls before the first constructor and after the last
# destructor, in signal handlers, with libraries that interpose or audit, and hepta opened by dlopen.
. "$(dirname "$0")/env/common.sh"

for name in early_and_late last_round crash_handler stepped_calls opened_library threads_at_work; do
    program $name -ldl
done
program interposer -shared -fPIC -fno-builtin -ldl
program auditor -shared -fPIC
static=("$build/lib/libhepta.a" -lurcu-bp -lurcu-common)
program early_and_late -static "${static[@]}"
mv "$scratch/early_and_late" "$scratch/early_and_late_static"
program early_and_late "${static[@]}"
mv "$scratch/early_and_late" "$scratch/early_and_late_archive"
program early_and_late

succeeds "early and late calls, preloaded" "${on_hepta[@]}" "$scratch/early_and_late"
succeeds "early and late calls, without caches" \
    "${on_hepta[@]}" HEPTA_OPTIONS=check:on "$scratch/early_and_late"
succeeds "early and late calls, with libhepta.a" "$scratch/early_and_late_archive"
succeeds "early and late calls, with -static" "$scratch/early_and_late_static"
succeeds "frees in the last round of destructors" "${on_hepta[@]}" "$scratch/last_round"
succeeds "a crash handler allocates inside malloc" "${on_hepta[@]}" "$scratch/crash_handler"
[ "$(uname -m)" != x86_64 ] ||
    succeeds "a signal after each instruction of a call ends the process" "${on_hepta[@]}" "$scratch/stepped_calls"
succeeds "opened, closed and opened again by a program on glibc" "$scratch/opened_library" "$library"
succeeds "the same on hepta" "${on_hepta[@]}" "$scratch/opened_library" "$library"
succeeds "a library that interposes mmap, in front" \
    env LD_PRELOAD="$scratch/interposer $library" "$scratch/threads_at_work"
succeeds "a library that interposes mmap, behind" \
    env LD_PRELOAD="$library $scratch/interposer" "$scratch/threads_at_work"
succeeds "an audited process" env LD_AUDIT="$scratch/auditor" LD_PRELOAD="$library" "$scratch/threads_at_work"
succeeds "every binding at the start" env LD_BIND_NOW=1 LD_PRELOAD="$library" "$scratch/threads_at_work"
succeeds "an environment without variables" \
    env -i LD_PRELOAD="$library" "$scratch/threads_at_work"
finish
