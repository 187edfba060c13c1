#!/bin/sh
# What the built libraries show to a linker. BUILD is the build directory.
. "$(dirname "$0")/support/expect.sh"

build=${BUILD:-$root/build}
shared=$build/lib/libhepta.so
static=$build/lib/libhepta.a

# Weak undefined symbols aside: names that others could bind to.
exported() { nm -D --defined-only "$shared" | awk '{ print $3 }'; }
archived() { nm -g --defined-only "$static" 2> /dev/null | awk 'NF == 3 { print $3 }'; }

listed() {
    sed 's|/\*.*\*/||' "$root/src/hepta.map" | tr ' ;' '\n\n' | grep -E '^[A-Za-z_]' | grep -v ':'
}

exports_malloc() {
    for name in malloc calloc realloc free posix_memalign aligned_alloc malloc_usable_size \
        hepta_malloc hepta_free _Znwm _ZdlPv; do
        exported | grep -qx $name || { echo "$name is not exported"; return 1; }
        archived | grep -qx $name || { echo "$name is not in the archive"; return 1; }
    done
}
expect 0 "" "both libraries define the malloc family, prefixed too" exports_malloc

internals() { { exported && archived; } | grep '^hp_'; }
expect 1 "" "neither library shows an internal name" internals

unlisted() { archived | grep -v '^hepta_' | grep -vxF "$(listed)"; }
expect 1 "" "the archive shows no name that the shared library hides" unlisted

expect 0 "Library soname: [libhepta.so.1]" "the soname is libhepta.so.1" readelf -d "$shared"
expect 0 "NODELETE" "the shared library stays loaded" readelf -d "$shared"
expect 0 "NOW" "its symbols are bound at load time" readelf -d "$shared"
expect 0 "STATIC_TLS" "its thread-local storage is initial-exec" readelf -d "$shared"

lazy_tls() { nm -D "$shared" | grep __tls_get_addr; }
expect 1 "" "no thread-local access calls the loader" lazy_tls

two_words() {
    bytes=$(readelf -lW "$shared" | awk '$1 == "TLS" { print $6; exit }')
    [ $((bytes)) -le 16 ] || { echo "it is $((bytes)) bytes" && return 1; }
}
expect 0 "" "its thread-local storage is two words" two_words

crossing() { nm "$build/obj/tsan/platform/crossing.o" | grep -E '__tsan_(func|read|write|init)'; }
expect 1 "" "the crossing is not instrumented" crossing
instrumented() {
    for object in "$build"/obj/tsan/*/*.o; do
        case $object in */crossing.o) continue ;; esac
        nm "$object" | grep -q __tsan_init || { echo "$object is not"; return 1; }
    done
}
expect 0 "" "every other file is" instrumented

prefixed_only() { nm --defined-only "$build/tsan/libhepta.a" | grep -wE 'T (malloc|free|calloc)'; }
expect 1 "" "a sanitizer's library leaves malloc to the sanitizer" prefixed_only

finish
