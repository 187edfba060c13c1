# redis_table.awk: the table of redis.sh, from its lines of rates and of memory, in this order.
#
#   rates    name and redis-benchmark's columns: test, requests/s, and latencies in ms: average,
#            least, p50, p95, p99, most; a test comes once for each length of value. The median
#            shown is the average of the three, the p99 the worst.
#   memory   name,peak_kib,after_deleting_kib,idle_kib,threads

function grouped(number,   text, tail) {
    text = sprintf("%.0f", number)
    while (length(text) > 3) {
        tail = "," substr(text, length(text) - 2) tail
        text = substr(text, 1, length(text) - 3)
    }
    return text tail
}

function mib(kib) { return sprintf(kib < 102400 ? "%.1f" : "%.0f", kib / 1024) }

BEGIN { FS = "," }

FNR == 1 { file++ }

# As many requests for each length: together they ran at the harmonic mean.
file == 1 {
    if (!($2 in known_test)) { known_test[$2] = 1; test[++tests] = $2 }
    seconds[$1, $2] += 1 / $3
    median_ms[$1, $2] += $6
    rounds[$1, $2]++
    if ($8 > p99_ms[$1, $2]) p99_ms[$1, $2] = $8
}

file == 2 { name[++names] = $1; memory[$1] = $2 FS $3 FS $4 FS $5 }

function label(n,   text) {
    text = name[n]
    gsub("_", " ", text)
    return text
}

function cell(what, key) {
    if (what == "rate") return grouped(rounds[key] / seconds[key])
    if (what == "median") return sprintf("%.2f", median_ms[key] / rounds[key])
    return sprintf("%.2f", p99_ms[key])
}

function print_block(heading, what,   t, n) {
    printf "\n%-16s", heading
    for (t = 1; t <= tests; t++) printf " %9s", tolower(test[t])
    print ""
    for (n = 1; n <= names; n++) {
        printf "%-16s", label(n)
        for (t = 1; t <= tests; t++) printf " %9s", cell(what, name[n] SUBSEP test[t])
        print ""
    }
}

END {
    print_block("requests/s", "rate")
    print_block("median, ms", "median")
    print_block("p99, ms", "p99")
    row = "%-16s %9s %19s %19s %19s\n"
    printf "\n" row, "RSS, MiB", "peak", "19 of 20 deleted", "FLUSHALL and idle", "(threads)"
    for (n = 1; n <= names; n++) {
        split(memory[name[n]], m, FS)
        printf row, label(n), mib(m[1]), mib(m[2]), mib(m[3]), m[4]
    }
}
