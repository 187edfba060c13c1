#!/bin/sh
# The inbox in every order of its steps, twice: inbox.c, owner.c and slab.c themselves, whose threads give
# way before every atomic access (tests/model/inbox_real.c), and the same protocol as a model for spin
# (tests/model/inbox.pml). Then each with something made wrong, which has to be found.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

result() { # passed? name text
    if [ "$1" = yes ]; then
        echo "ok   $2: $3"
    else
        echo "FAIL $2: $3"
        failed=1
    fi
}

# ---- the code itself -----------------------------------------------------------------------------

flags="-std=gnu11 -D_GNU_SOURCE= -DHP_DEBUG=0 -DHP_PREFIX_ONLY=1 -O1 -fno-stack-protector
    -Isrc -Itests -Itests/model"

compile() { # object source [more flags]
    object=$1 source=$2
    shift 2
    gcc $flags "$@" -c "$source" -o "$work/$object.o"
}

build_code() { # the inbox.c to use
    compile inbox "$1" -include tests/model/stepped.h && gcc "$work"/*.o -o "$work/model"
}

run_code() { # 1: something is broken, and the last line of $work/out says what
    "$work/model" > "$work/out" 2>&1
}

for file in owner lists mixed sparse holes slab slab_pages depot singles pack; do
    compile $file src/owner/$file.c -include tests/model/stepped.h
done
compile world tests/model/inbox_real.c -include tests/model/stepped.h
compile floors tests/model/lower_floors.c
compile interleave tests/support/interleave.c

build_code src/owner/inbox.c
if run_code; then sound=yes; else sound=no; fi
result $sound "inbox.c" "$(cat "$work/out")"

# A mutation is a sed script. One that changes nothing tests nothing: the line has gone, follow it.
mutate_code() { # name script
    sed "$2" src/owner/inbox.c > "$work/mutant.c"
    if cmp -s src/owner/inbox.c "$work/mutant.c"; then
        result no "inbox.c, $1" "the script changes nothing"
    elif ! build_code "$work/mutant.c"; then
        result no "inbox.c, $1" "does not compile"
    elif run_code; then
        result no "inbox.c, $1" "not found: $(cat "$work/out")"
    elif [ $? != 1 ]; then
        result no "inbox.c, $1" "ended otherwise than by a check"
    else
        result yes "inbox.c, $1" "found: $(sed -n 's/ after the steps.*//; $p' "$work/out")"
    fi
}

push='hp_stack_push(\&owner->inbox, \&slab->inbox_link);'

mutate_code "link read after pending is cleared" '
    /link = hp_stack_next(link);/d
    s/^\( *\)owner->worked_in_bytes += drain_slab(owner, slab);/&\n\1link = hp_stack_next(link);/'
mutate_code "pushed although it is pending" 's/if (pending == 0) {/if (true) {/'
mutate_code "pending set before the remote bit" '
    /^void hp_inbox_post(/,/^}/{
        /^    announce(/d
        s/^    uint64_t twice = note(/    announce(owner, slab, word, bytes);\n&/
    }'
mutate_code "pending cleared after the remote words" '
    s/atomic_exchange_explicit(&slab->pending, 0, memory_order_acq_rel)/slab->pending/
    /^static uint64_t drain_slab/,/^}/s/^    return slots.*/    atomic_store_explicit(\&slab->pending, 0, 0);\n&/'
mutate_code "bytes counted before the push" '
    s/^    if (pending == 0) {/    if (false) {/
    s/^    if (HP_UNLIKELY(waiting >.*/    if (pending == 0) {\n        '"$push"'\n    }\n&/'
mutate_code "bytes read after the slabs are taken" '
    /^    owner->taken_bytes = atomic_load/d
    s/^    owner->taken = hp_stack_take_all.*/&\n    owner->taken_bytes = atomic_load(\&owner->inbox_bytes);/'
mutate_code "bytes taken back before all is worked in" '
    /^static void work_in/,/^}/s/^    if (link == NULL) {/    if (true) {/'

# ---- the model for spin --------------------------------------------------------------------------

if ! command -v spin > /dev/null; then
    echo "skip inbox.pml: spin is not installed"
    exit $failed
fi

run_spin() { # [macro]; the verifier's output in $work/out
    (
        cd "$work"
        spin ${1:+-D$1} -a "$OLDPWD/tests/model/inbox.pml"
        gcc -O2 -w -DSAFETY -o pan pan.c
        ./pan -m100000
    ) > "$work/out" 2>&1
    grep -q 'errors: 0' "$work/out" && ! grep -q 'max search depth too small' "$work/out"
}

states() {
    sed -n 's/^ *\([0-9]*\) states, stored.*/\1 states/p' "$work/out"
}

if run_spin; then sound=yes; else sound=no; fi
result $sound "inbox.pml" "$(states)"

for macro in LINK_READ_LATE PUSHED_ALWAYS PENDING_FIRST PENDING_CLEARED_LATE COUNTED_AFTER_TAKING \
    COUNT_TAKEN_BACK_EARLY; do
    if run_spin $macro; then
        result no "inbox.pml, $macro" "not found in $(states)"
    elif grep -q 'errors: 1' "$work/out"; then
        result yes "inbox.pml, $macro" "found: $(sed -n 's/^pan:1: \(assertion violated\).*/\1/p' "$work/out")"
    else
        result no "inbox.pml, $macro" "$(tail -n 3 "$work/out")"
    fi
done
exit $failed
