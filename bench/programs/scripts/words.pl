# words.pl COUNT: words are made, counted, grouped, joined, searched and replaced: hashes, strings, regular expressions.
use strict;
use warnings;

my $count = shift;
my $state = 4;

sub below {
    $state = ($state * 1103515245 + 12345) % 2147483648;
    return int($state / 65536) % $_[0];
}

my (%seen, %by_length, @words);
for my $number (1 .. $count) {
    my $word = join '', map { chr(97 + below(1 + below(26))) } 0 .. below(12);
    $seen{$word}++;
    push @{$by_length{length $word}}, $word;
    push @words, { word => $word, number => $number, parts => [split /a/, $word] };
}
print scalar(keys %seen), ' ', join(',', map { "$_:" . @{$by_length{$_}} } sort { $a <=> $b } keys %by_length), "\n";

my @sorted = sort { $a->{word} cmp $b->{word} || $a->{number} <=> $b->{number} } @words;
print join(' ', map { $_->{number} } @sorted[map { $_ * int(@sorted / 20) } 0 .. 19]), "\n";

my $text = join ' ', map { $_->{word} } @words;
my %pairs;
$pairs{"$1-$2"}++ while $text =~ /\b(\w)\w*(\w)\b/g;
print scalar(keys %pairs), ' ', $pairs{'b-b'} // 0, "\n";
(my $turned = $text) =~ s/(\w)(\w+)/$2$1/g;
$turned =~ s/([aeiou]+)/uc("<$1>")/ge;
$turned =~ tr/b-d/B-D/;
print length($turned), ' ', unpack('%32C*', $turned), "\n";

my @lines;
while ($text =~ /\G(.{1,60})(?:\s|$)/g) {
    push @lines, sprintf '%06d %-60s|', scalar @lines, $1;
}
my %index;
for my $line (@lines) {
    my ($number, $rest) = $line =~ /^(\d+)\s+(.*?)\s*\|$/;
    push @{$index{$_}}, $number + 0 for split ' ', $rest;
}
delete @index{grep { @{$index{$_}} % 3 == 0 } keys %index};
print scalar(@lines), ' ', scalar(keys %index), "\n";
