#!/bin/bash
# What the bench has beside its rows, at its smallest: latency, growth, resident memory, instructions; and
# that the workloads notice an allocator that is wrong.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The programs are those that make has built; the results go elsewhere than a user's.
mkdir -p "$scratch/bench" "$scratch/lib"
ln -s "$BUILD/lib/libhepta.so.1" "$scratch/lib"
find "$BUILD/bench" -maxdepth 1 -type f -perm -u+x -exec ln -s {} "$scratch/bench" \;
results=$scratch/bench/results

fail() {
    echo "FAIL $1"
    cat "$scratch/output" "$results"/*.csv
    exit 1
}
small() { env BUILD="$scratch" QUICK=1 RECORD=0 ALLOCATORS='glibc hepta' "$@" >"$scratch/output" 2>&1; }

# ---- latency ---------------------------------------------------------------------------------------

small ROWS=one-small bench/latency/latency.py || fail "the latency is measured"
head -n 1 "$results/latency.csv" | grep -Eq '^# make bench-latency .*; .* MiB; Linux .*; hepta ' ||
    fail "the first line of latency.csv tells command, machine and versions"
# Columns 7 to 20 are percentiles and the largest: they grow. Doing nothing takes no longer than malloc.
awk -F, '
    /^one-small/ {
        lines++
        for (i = 8; i <= 19; i++) if ($i + 0 < $(i - 1) + 0) { print "falls: " $0; exit 1 }
        if ($20 + 0.5 < $19) { print "exceeds the largest: " $0; exit 1 }
        p50[$2, $3] = $9
    }
    END {
        if (lines != 10) { print lines " lines"; exit 1 }
        for (name in p50) if (p50[name] <= 0) exit 1
        exit !(p50["nothing", "hepta"] <= p50["malloc", "hepta"])
    }' "$results/latency.csv" || fail "latency.csv holds distributions"

# ---- growth ----------------------------------------------------------------------------------------

small ROWS=cross bench/growth/growth.py || fail "the growth is measured"
awk -F, '/^cross_percent/ && $4 > 0 { lines++ } END { exit lines != 6 }' "$results/growth.csv" ||
    fail "growth.csv has three shares of two allocators"
for limit in 0 1; do
    "$BUILD/bench/heap" mib=4 operations=1000 limit=$limit | grep -q '^seconds=.* operations=1000$' ||
        fail "the heap with limit=$limit"
done
if command -v gnuplot >/dev/null; then
    for picture in latency growth; do
        grep -q '</svg>' "$results/bench-$picture.svg" || fail "$picture is drawn"
    done
fi

# ---- resident memory -------------------------------------------------------------------------------

small SCALE=0.02 ROWS='fork_child buffers' bench/rss/rss.py || fail "resident memory is measured"
head -n 1 "$results/rss.csv" | grep -Eq '^# make bench-rss .*; .* MiB; Linux .*; hepta ' ||
    fail "the first line of rss.csv tells command, machine and versions"
# 2.56 MiB of 200-byte blocks: at the peak both have that much, and the child of hepta keeps them shared.
awk -F, '
    /^fork_child/ { peak[$2] = $5; own[$2] = $12 }
    /^buffers/ && $14 > 0 { lines++ }
    END { exit !(lines == 2 && peak["glibc"] > 2600 && peak["hepta"] > 2600 && own["hepta"] * 2 < own["glibc"]) }
    ' "$results/rss.csv" || fail "rss.csv has peaks and what each scenario is about"
awk -F, '$1 == "buffers" && $2 == "hepta" { n++; if ($5 > 50000) held = 1; if ($4 + 2048 < $5) exit 1 }
    END { exit !(n > 3 && held) }' "$results/rss_series.csv" || fail "rss_series.csv tells both over time"
if command -v strace >/dev/null; then
    awk -F, '/^buffers/ && $15 > 12 { lines++ } END { exit lines != 2 }' "$results/rss.csv" ||
        fail "the system calls of buffers are counted"
fi
if command -v gnuplot >/dev/null; then
    grep -q '</svg>' "$results/bench-rss.svg" || fail "resident memory is drawn"
    grep -q '^| MiB that a child makes its own (`fork_child`) | 2 | 0\.[0-9]* | holds |$' \
        "$results/benchmarks_rss.md" || fail "the page tells which bars hold"
fi
for scenario in burst service survivors_200 survivors_64 sleeper free_only idle_threads block_threads churn \
    sawtooth shifting; do
    "$BUILD/bench/watch" "$scratch/series" 10 "$BUILD/bench/rss" scenario=$scenario scale=0.002 idle_ms=1 \
        seconds=1 >"$scratch/output" && grep -q '^point=' "$scratch/output" &&
        grep -q '^peak_rss_kib=[1-9]' "$scratch/output" && grep -q '^[0-9]* [1-9][0-9]* [0-9]*$' "$scratch/series" ||
        fail "the scenario $scenario"
done

# ---- instructions ----------------------------------------------------------------------------------

if command -v valgrind >/dev/null; then
    small ROWS='free-null free-fast' bench/instructions/count.py || fail "instructions are counted"
    awk -F, '
        $1 ~ /^free-/ { count[$1, $2] = $3; lines++ }
        END {
            if (lines != 4) exit 1
            for (name in count) if (count[name] < 1 || count[name] > 200) exit 1
            exit !(count["free-null", "hepta"] < count["free-fast", "hepta"])
        }' "$results/instructions.csv" || fail "instructions.csv has plausible figures"
fi

# ---- wrong allocators ------------------------------------------------------------------------------
# Each one does a single thing wrong, and only in the program that is to notice it.

cat >"$scratch/wrong.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <stddef.h>
void *malloc(size_t bytes);
#if WRONG_CALLOC
void *calloc(size_t count, size_t bytes)
{
    char *block = malloc(count * bytes);
    memset(block, 0, count * bytes);
    if (count * bytes >= 256) {
        block[count * bytes / 2] = 1;
    }
    return block;
}
#elif WRONG_REALLOC
void *realloc(void *old, size_t bytes)
{
    (void)old;
    return malloc(bytes);
}
#elif WRONG_ALIGNMENT
int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    *block = (char *)malloc(bytes + 2 * alignment) + 16;
    return 0;
}
#elif WRONG_MALLOC
/* Now and then the same block again. */
void *malloc(size_t bytes)
{
    static void *(*real)(size_t);
    static void *last;
    static unsigned calls;
    if (real == NULL) {
        real = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    }
    if (bytes == 64 && ++calls % 1000 == 0) {
        return last;
    }
    void *block = real(bytes);
    last = bytes == 64 ? block : last;
    return block;
}
#endif
END
notices() {
    ${CC:-gcc} -shared -fPIC -O1 -fno-builtin "-D$1" "$scratch/wrong.c" -o "$scratch/wrong.so" -ldl
    shift
    if env LD_PRELOAD="$scratch/wrong.so" "$BUILD/bench/$@" >"$scratch/output" 2>&1; then
        fail "nothing was noticed: $*"
    fi
    grep -q '^failed: ' "$scratch/output" || fail "the program did not say what was wrong: $*"
}
notices WRONG_CALLOC calloc scale=0.01
notices WRONG_REALLOC realloc scale=0.01
notices WRONG_ALIGNMENT aligned scale=0.01
notices WRONG_MALLOC producer_consumer least=64 scale=0.01
