#!/bin/sh
# check_style finds each kind of breach, in a tree that is otherwise good.
. "$(dirname "$0")/support/expect.sh"
. "$(dirname "$0")/support/tree.sh"

style() { expect "$1" "$2" "$3" "$tools/check_style" "$tree"; }

good_tree
style 0 "check-style: ok" "a good tree passes"

# ---- orders --------------------------------------------------------------------------------------

with src/arena/arena.c << 'END'
void f(_Atomic int *word)
{
    atomic_store_explicit(word, 1, memory_order_release);
}
END
style 1 "src/arena/arena.c:4: memory_order_release cites no pair" "a release without a pair fails"

with src/arena/arena.c << 'END'
void f(_Atomic int *word)
{
    atomic_store_explicit(word, 1, memory_order_release); /* release: P7 */
}
END
style 1 "P7 has no row in docs/memory_order.md" "a pair without a row fails"

with src/arena/arena.c << 'END'
void f(_Atomic int *word)
{
    atomic_store_explicit(word, 1, memory_order_relaxed); /* a counter */
}
END
style 1 "arena.c:4: memory_order_relaxed without" "a relaxed without a reason fails"

with src/arena/arena.c << 'END'
/* relaxed: a counter */



void f(_Atomic int *word)
{
    atomic_store_explicit(word, 1, memory_order_relaxed);
}
END
style 1 "memory_order_relaxed without" "a reason too far above fails"

with src/arena/arena.c << 'END'
void f(_Atomic int *word)
{
    /* relaxed: a counter, read by statistics only; the
       reader sums up what it finds and promises nothing
       about the moment, so that neither it nor the writer
       orders anything by this word */
    atomic_store_explicit(word, 1, memory_order_relaxed);
    atomic_store_explicit(word + 1, 1, memory_order_relaxed);
    atomic_store_explicit(word + 2, 1,
                          memory_order_relaxed);
}
END
style 0 "check-style: ok" "one long comment covers a run of statements"

with src/arena/arena.c << 'END'
void f(_Atomic int *word, int expected)
{
    /* acquire: P1. relaxed on failure: nothing is read then */
    if (atomic_compare_exchange_strong_explicit(word, &expected, 1, memory_order_acquire,
                                                memory_order_relaxed)) {
    }
}
END
style 0 "check-style: ok" "a compare-and-swap gives both reasons in one comment"

with src/arena/arena.c << 'END'
void f(_Atomic int *word, int expected)
{
    /* acquire: P1 */
    atomic_compare_exchange_strong_explicit(word, &expected, 1, memory_order_acquire,
                                            memory_order_relaxed);
}
END
style 1 "memory_order_relaxed without" "a compare-and-swap that gives one reason of two fails"

with src/arena/arena.c << 'END'
void f(_Atomic int *word)
{
    atomic_store_explicit(word, 1, memory_order_seq_cst); /* P1 */
}
END
style 1 "memory_order_seq_cst" "sequential consistency fails"

echo 'int f(_Atomic int *word) { return atomic_fetch_add(word, 1); }' | with src/arena/arena.c
style 1 "atomic_fetch_add without an explicit order" "an order left unspelt fails"

echo 'void f(void) { atomic_thread_fence(memory_order_acquire); /* P1 */ }' | with src/arena/arena.c
style 1 "atomic_thread_fence is not one of our atomics" "a fence that stands alone fails"

echo 'int f(int *p) { return __sync_fetch_and_add(p, 1); }' | with src/arena/arena.c
style 1 "__sync_fetch_and_add is not one of our atomics" "a compiler's own atomic fails"

echo '| P2 | nobody |' | with docs/memory_order.md
style 1 "nothing in src cites P2" "a row that nothing cites fails"

# ---- lengths, blocks, words ----------------------------------------------------------------------

{ echo 'int f(int x)' && echo '{' && yes '    x++;' | head -57 && echo '    return x;' && echo '}'; } \
    > "$scratch/long"
with src/arena/arena.c < "$scratch/long"
style 1 "f has 61 lines, at most 60" "a function of 61 lines fails"
sed -i 3d "$scratch/long"
with src/arena/arena.c < "$scratch/long"
style 0 "check-style: ok" "a function of 60 lines passes"

yes '/* */' | head -400 | with src/arena/arena.c
style 1 "401 lines, at most 400" "a file of 401 lines fails"

good_tree
sed -i '/Threads:/d' "$tree/src/arena/arena.h"
style 1 'src/arena/arena.h:1: the header block has no `Threads:`' "a header without Threads fails"

good_tree
sed -i '/Progress:/d' "$tree/src/arena/arena.h"
style 1 'the header block has no `Progress:`' "a header without Progress fails"

for word in pthread_mutex_t futex sched_yield nanosleep spin spinning hp_spin; do
    echo "/* $word */" | with src/arena/arena.c
    style 1 "only fork and the purger may wait" "the word $word fails"
done
echo '/* nanosleep */' | with src/service/purger.h
style 0 "check-style: ok" "the purger may wait"

echo '__attribute__((no_sanitize("thread"))) void f(void);' | with src/service/purger.h
style 1 "no part of hepta hides from a sanitizer" "no_sanitize fails"

mkdir -p "$tree/tests"
echo '/* TODO: test it */' > "$tree/tests/spec_x.c"
style 1 "tests/spec_x.c:1: \`TODO\`" "an unfinished test fails"

finish
