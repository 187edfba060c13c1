#!/usr/bin/env bash
# What a free and an allocation cost in the BFC core against the number of free chunks, and the same for a
# list that is walked: writes bench/results/bfc_growth.csv. Takes about 45 s.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
mkdir -p "$build/bench" bench/results
"${CC:-gcc}" -std=gnu11 -O2 -D_GNU_SOURCE= -Isrc -Iinclude -Wall -Wextra -Werror \
    bench/bfc_growth.c src/arena/bfc.c src/arena/bfc_tree.c -o "$build/bench/bfc_growth"
{
    echo "# bench/bfc_growth.sh on $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs, Linux $(uname -r)"
    "$build/bench/bfc_growth"
} | tee bench/results/bfc_growth.csv
