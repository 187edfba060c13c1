#!/bin/bash
# Threads and processes that come and go.
. "$(dirname "$0")/env/common.sh"

for name in thread_churn first_call_is_free many_alive fork_at_work children; do
    program $name
done

succeeds "10,000 threads come, go and leave blocks" "${on_hepta[@]}" "$scratch/thread_churn"
succeeds "threads whose first call is free, or that only free" "${on_hepta[@]}" "$scratch/first_call_is_free"
succeeds "4,096 threads alive" "${on_hepta[@]}" "$scratch/many_alive"
succeeds "fork at full speed, children and grandchildren" "${on_hepta[@]}" "$scratch/fork_at_work"
succeeds "the same without caches" "${on_hepta[@]}" HEPTA_OPTIONS=check:on "$scratch/fork_at_work"
succeeds "vfork, posix_spawn, system, popen, fork in a thread" "${on_hepta[@]}" "$scratch/children"
finish
