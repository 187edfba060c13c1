#!/bin/bash
# perl and lua on hepta: strings, hashes, sorting, closures, garbage, child processes.
. "$(dirname "$0")/programs/common.sh"

needs perl lua5.4 awk sort bash
expect_binds perl -e 1
expect_binds lua5.4 -e 'local x = 1'

cat > "$scratch/words.pl" << 'PERL'
use strict;
my (%count, @list);
for my $number (1 .. 200000) {
    my $word = join '', map { chr(97 + ($number * $_) % 26) } 1 .. 1 + $number % 13;
    $count{$word}++;
    push @list, $word if $number % 3 == 0;
}
my @sorted = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
my $text = join ' ', @list;
$text =~ s/(\w)(\w+)/$2$1/g;
delete @count{@sorted[0 .. 1000]};
open my $child, '-|', 'echo from a child' or die;
print scalar(@sorted), ' ', length($text), ' ', scalar(keys %count), ' ', <$child>;
PERL
cat > "$scratch/words.lua" << 'LUA'
local all, total = {}, 0
for number = 1, 300000 do
    local row = {number, tostring(number):rep(number % 5 + 1), function() return number end}
    all[number % 20000 + 1] = row
    total = total + #row[2]
end
collectgarbage()
local parts = {}
for index = 1, #all do parts[index] = all[index][2] end
table.sort(parts)
print(#all, total, #table.concat(parts, ','), collectgarbage('count') > 0)
LUA
same_words() {
    local sentence=$1
    shift
    "$@" > "$scratch/on_glibc" 2> /dev/null
    succeeds "$sentence" "${on_hepta[@]}" "$@"
    cmp -s "$scratch/on_glibc" "$scratch/output" || failed "$sentence: it says something else"
}
same_words "perl: 200,000 words" perl "$scratch/words.pl"
same_words "lua: 300,000 tables" lua5.4 "$scratch/words.lua"
same_words "awk: 100,000 keys" awk 'BEGIN { for (i = 0; i < 100000; i++) a[i "x"] = i; print length(a) }'
seq 500000 -1 1 > "$scratch/numbers"
same_words "sort with two threads" sort --parallel=2 -S 20M -n "$scratch/numbers"
# shellcheck disable=SC2016 # for the inner shell
same_words "bash: arrays, functions, subshells" bash -c 'for i in {1..20000}; do a[i]=x$i; done
    for i in {1..100}; do b=$(echo "${a[@]:i:50}"); done; echo ${#a[@]} ${#b}'
finish
