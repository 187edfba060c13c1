# shellcheck shell=sh disable=SC2034,SC2154 # used by, and from, the script that sources this
# common.sh: what both demonstrations need. To be sourced; needs $here.

build=${BUILD:-$here/../../build}
mkdir -p "$build/demo"
build=$(cd "$build" && pwd)
out=$build/demo
hepta=${HEPTA_LIB:-$build/lib/libhepta.so.1}

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

need_hepta() {
    [ -r "$hepta" ] || fail "$hepta is missing; run make first"
}

# The file of a library as the dynamic loader finds it; nothing when it is not installed.
library() {
    PATH=$PATH:/sbin ldconfig -p | awk -v name="$1" '$1 == name && /x86-64/ { print $NF; exit }'
}

# What the figures were taken on, in one line.
machine() {
    awk -F': ' '/^model name/ { model = $2; count++ } END { printf "%d x %s", count, model }' \
        /proc/cpuinfo
    printf ', Linux %s' "$(uname -r)"
    sed -n 's/.*\[\(.*\)\].*/, huge pages: \1/p' /sys/kernel/mm/transparent_hugepage/enabled
}
