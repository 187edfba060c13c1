#!/usr/bin/env bash
# Instructions per malloc + free on hepta, on the system's malloc and on those peers that are installed.
# ALLOC="name=/path/lib.so ..." adds others.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
library=$build/lib/libhepta.so.1
program=$build/bench/paths
mkdir -p "$build/bench"
"${CC:-gcc}" -std=gnu11 -O2 -g -fno-builtin -Wall -Wextra -Werror bench/instructions/paths.c -o "$program" -lpthread
peers=()
for peer in jemalloc=libjemalloc.so.2 mimalloc=libmimalloc.so.2.0 tcmalloc=libtcmalloc_minimal.so.4; do
    path=/usr/lib/$(uname -m)-linux-gnu/${peer#*=}
    [ -e "$path" ] && peers+=("${peer%%=*}=$path")
done
# shellcheck disable=SC2086
exec bench/instructions/count.py "$program" "hepta=$(realpath "$library")" libc=libc "${peers[@]}" ${ALLOC:-}
