#!/bin/sh
# The specs that start threads, under ThreadSanitizer. Then the two orders that no stress program shows
# to be needed are weakened (P7: storage, P8: an entry of the hot map): the specs have to notice.
set -eu
cd "$(dirname "$0")/.."
clang=${CLANG:-clang}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

flags="-std=gnu11 -D_GNU_SOURCE= -Iinclude -Isrc -Itests -O1 -g -fno-omit-frame-pointer
    -ftls-model=initial-exec -DHP_DEBUG=1 -DHP_PREFIX_ONLY=1"
# Its shadow does not fit every layout that the kernel may choose at random.
fixed=
if setarch -R true 2> /dev/null; then fixed='setarch -R'; fi

result() { # passed? text
    if [ "$1" = yes ]; then
        echo "ok   $2"
    else
        echo "FAIL $2"
        failed=1
    fi
}

# The crossing stays uninstrumented, as in the library's own build.
compile() { # source object
    case $1 in
    */platform/crossing.c) sanitizer= ;;
    *) sanitizer=-fsanitize=thread ;;
    esac
    case $1 in
    */front/operators.c) exceptions=-fexceptions ;;
    *) exceptions= ;;
    esac
    $clang $flags $sanitizer $exceptions -c "$1" -o "$2"
}

spec() { # name; the program's output in $work/out
    $clang $flags -fsanitize=thread "tests/spec_$1.c" "$work"/*.o -lcmocka -lurcu-bp -lurcu-common \
        -lpthread -o "$work/spec" && $fixed "$work/spec" > "$work/out" 2>&1
}

for file in src/*/*.c tests/support/*.c; do
    compile "$file" "$work/$(echo "$file" | tr / _).o"
done

for name in claim storage hot_map arena_threads inbox_threads pack thread_exit; do
    if spec $name; then
        result yes "spec_$name"
    else
        result no "spec_$name"
        sed 's/^/    /' "$work/out"
    fi
done

# A mutation that changes nothing tests nothing: the line has gone, follow it.
mutate() { # pair file script spec
    object=$work/$(echo "$2" | tr / _).o
    sed "$3" "$2" > "$work/mutant.c"
    if cmp -s "$2" "$work/mutant.c"; then
        result no "$1: the script changes nothing"
        return
    fi
    compile "$work/mutant.c" "$object"
    tries=0
    while spec "$4" && [ $tries -lt 5 ]; do tries=$((tries + 1)); done
    if grep -q 'WARNING: ThreadSanitizer: data race' "$work/out"; then
        result yes "$1 weakened: spec_$4 notices"
    else
        result no "$1 weakened: spec_$4 does not notice"
    fi
    compile "$2" "$object"
}

weaken() { # pair
    echo "/release: $1,/,/memory_order_release/s/memory_order_release/memory_order_relaxed/"
}

mutate P7 src/metadata/storage.c "$(weaken P7)" storage
mutate P8 src/metadata/address_map.c "$(weaken P8)" hot_map
exit $failed
