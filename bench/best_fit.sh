#!/usr/bin/env bash
# What best fit can do at best with sizes that move: writes bench/results/best_fit.csv. Takes about ten seconds.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
mkdir -p "$build/bench" bench/results
"${CC:-gcc}" -std=gnu11 -O2 -D_GNU_SOURCE= -Isrc -Iinclude -Ibench -Wall -Wextra -Werror \
    bench/best_fit.c bench/support/random.c src/arena/bfc.c src/arena/bfc_tree.c -lm -o "$build/bench/best_fit"
{
    echo "# bench/best_fit.sh, seed 1: does not depend on the machine"
    "$build/bench/best_fit"
} | tee bench/results/best_fit.csv
