# shellcheck shell=bash disable=SC2034 # used by the script that sources this
# in_turn.sh NAME: what the scripts need that run one program on all allocators in turn. To be sourced, in the
# project's root: builds bench/NAME/NAME.c into $program, lists $allocators as name=library, makes $results, a file.

build=${BUILD:-build}
program=$build/bench/$1
mkdir -p "$build/bench"
"${CC:-gcc}" -std=gnu11 -O2 -fno-builtin -Wall -Wextra -Werror "bench/$1/$1.c" -o "$program" -lpthread
allocators=("hepta=$(realpath "$build/lib/libhepta.so.1")" "libc=")
for peer in jemalloc=libjemalloc.so.2 mimalloc=libmimalloc.so.2.0 tcmalloc=libtcmalloc_minimal.so.4; do
    path=/usr/lib/$(uname -m)-linux-gnu/${peer#*=}
    if [ -e "$path" ]; then allocators+=("${peer%%=*}=$path"); fi
done
# shellcheck disable=SC2206
allocators+=(${ALLOC:-})
results=$(mktemp)
trap 'rm -f "$results"' EXIT
