#!/bin/bash
# The bench at its smallest: what it measures, what it writes, and that every workload runs.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The programs are those that make has built; the results go elsewhere than a user's.
mkdir -p "$scratch/bench" "$scratch/lib"
ln -s "$BUILD/lib/libhepta.so.1" "$scratch/lib"
find "$BUILD/bench" -maxdepth 1 -type f -perm -u+x -exec ln -s {} "$scratch/bench" \;
results=$scratch/bench/results

bench() { env BUILD="$scratch" ROUNDS=1 REDOS=0 RECORD=0 "$@" bench/runner/main.py >"$scratch/output" 2>&1; }
fail() {
    echo "FAIL $1"
    cat "$scratch/output" "$results"/*.csv
    exit 1
}
# has ROW ALLOCATOR PATTERN: the rest of their line in bench.csv.
has() { grep -Eq "^$1,[a-z]+,$2,$3\$" "$results/bench.csv" || fail "$1 on $2 should be $3"; }
lacks() { ! grep -Eq "^$1,[a-z]+,$2," "$results/bench.csv" || fail "$1 did run on $2"; }

export ROW_FILES=tests/bench/rows.tsv
bench ALLOCATORS='glibc hepta' TIMEOUT=1 ROUNDS=2 || fail "the bench ends well"
head -n 1 "$results/bench.csv" | grep -Eq '^# make bench .*ROUNDS=2.*; .* MiB; Linux .*; libc6 .*; hepta ' ||
    fail "the first line tells command, machine and versions"
[ "$(sed -n 2p "$results/bench.csv")" = "row,group,allocator,seconds,seconds_min,seconds_max,spread,\
operations,peak_kib,peak_kib_min,peak_kib_max,runs,disturbed,failed" ] || fail "the second line names the columns"
figure='[0-9]+\.[0-9]{6}'
for name in glibc hepta; do
    has own-time $name "0.250000,0.250000,0.250000,0.000000,1,[0-9]+,[0-9]+,[0-9]+,2,[0-2],0"
    has wall-time $name "$figure,$figure,$figure,$figure,0,[0-9]+,[0-9]+,[0-9]+,2,[0-2],0"
    has endless $name '0.000000,0.000000,0.000000,0.000000,0,0,0,0,1,[01],1'
done
has crash glibc ".*,2,[0-2],0"
has crash hepta ".*,1,[01],1"
has a-limit - '0.125000,.*,2,[0-2],0'
lacks a-limit hepta
has itself hepta '0.500000,0.500000,0.500000,0.000000,0,1234,1234,1234,2,[0-2],0'
grep -Eq '^itself,program,hepta,1,0.500000,0,[^,]*,0.250000,0.125000,1234,' "$results/bench_runs.csv" ||
    fail "a row may measure itself"
lacks not-there glibc
grep -q '^Left out: not-there$' "$scratch/output" || fail "a program that is not installed is left out"
grep -q '^endless,many,hepta,1,.*,timeout$' "$results/bench_runs.csv" || fail "the runs tell how they ended"
awk -F, '$1 == "memory" { peak[$3] = $9 } END { exit !(peak["glibc"] > 50000 && peak["glibc"] < 70000) }' \
    "$results/bench.csv" || fail "50 MB are 50 MB"
if command -v gnuplot >/dev/null; then
    grep -q '^| `own-time`.* | 0.250 s | \*\*1.00\*\* | \*\*1.00\*\* |$' "$results/benchmarks.md" ||
        fail "the page has a table"
    grep -q '^| `crash`.* | failed |' "$results/benchmarks.md" || fail "a failure is in the table"
    grep -q '</svg>' "$results/bench-rows.svg" || fail "the rows are drawn"
    grep -q '</svg>' "$results/bench-means.svg" || fail "the means are drawn"
fi

! bench ALLOCATORS=nobody || fail "an allocator that is not there is refused"
bench ALLOCATORS=none ALLOC=none=/proc/self/maps ROWS=own || fail "a failed row does not end the bench"
has own-time none '.*,1,[01],1'

# The first row of every workload, as little of it as there can be.
awk -F'\t' '!/^#/ && $3 ~ /^\$BENCH\// { split($3, words, " "); if (!seen[words[1]]++) print }' \
    $(find bench/rows -name '*.tsv' 2>/dev/null) /dev/null >"$scratch/rows.tsv"
[ -s "$scratch/rows.tsv" ] || exit 0
bench ROW_FILES="$scratch/rows.tsv" ALLOCATORS=hepta SCALE=0.001 || fail "the workloads run"
! awk -F, '$14 > 0' "$results/bench.csv" | grep -v '^#\|^row,' || fail "a workload fails"
