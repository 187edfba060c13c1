#!/usr/bin/env bash
# libhepta-prefixed.a: hepta beside the program's own malloc, which stays what it was.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/both.c" <<'C'
#include <hepta/hepta.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *own = malloc(30);
    char *other = hepta_malloc(30);
    /* 16-byte steps less a header of 8 in glibc, 16-byte steps without one in hepta. */
    int ok = malloc_usable_size(own) == 40 && hepta_malloc_usable_size(other) == 32;
    hepta_free(other);
    free(own);
    puts(ok ? "ok   both allocators in one program" : "FAIL both allocators in one program");
    return !ok;
}
C
for how in "" -static; do
    # shellcheck disable=SC2086
    "${CC:-gcc}" $how -fno-builtin -Iinclude "$scratch/both.c" "$build/lib/libhepta-prefixed.a" \
        -lurcu-bp -lurcu-common -lpthread -o "$scratch/both"
    "$scratch/both"
done
if nm "$build/lib/libhepta-prefixed.a" | grep -E ' [TW] (malloc|free|_Znwm)$'; then
    echo "FAIL the prefixed library defines a standard name"
    exit 1
fi
echo "ok   it defines no standard name"
