#!/bin/bash
# Debian's python3 on hepta: a part of its own test suite, with every object from malloc.
. "$(dirname "$0")/programs/common.sh"

python=/usr/bin/python3
needs $python
"$python" -c 'import test.test_list' 2> /dev/null ||
    { echo "FAIL python's own tests are missing; run make deps"; exit 1; }

expect_binds $python -c 'pass'

# regression SENTENCE TEST...
regression() {
    local sentence=$1
    shift
    succeeds "$sentence" "${on_hepta[@]}" "$python" -m test --quiet --timeout 50 \
        --tempdir "$scratch" "$@"
}

cd "$scratch" || exit 1
export PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1
regression "containers" test_list test_dict test_bytes test_deque test_array
regression "text and data" test_json test_re test_struct test_zlib test_csv
regression "threads and queues" test_thread test_gc
unset PYTHONMALLOC
regression "its own arenas, by mmap" test_list test_unicode test_mmap
regression "processes" test_posix test_fork1
finish
