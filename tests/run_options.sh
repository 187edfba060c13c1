#!/bin/sh
# What each option of HEPTA_OPTIONS does to a program. BUILD is the build directory.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
library=${BUILD:-$root/build}/lib
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# expect STATUS LINE SENTENCE OPTIONS ARGUMENT...: the program ends like that and says the line, a
# basic regular expression; ! in front: it says no such line.
expect() {
    wanted=$1 line=$2 sentence=$3 options=$4
    shift 4
    status=0
    env HEPTA_OPTIONS="$options" LD_PRELOAD="$library/libhepta.so" "$scratch/subject" "$@" \
        > "$scratch/said" 2>&1 || status=$?
    said=yes
    grep -qx -- "${line#!}" "$scratch/said" || said=no
    case $line in !*) wanted_said=no ;; *) wanted_said=yes ;; esac
    if [ $status = "$wanted" ] && [ $said = $wanted_said ]; then
        echo "ok   $sentence"
    else
        echo "FAIL $sentence: status $status (wanted $wanted), wanted the line: $line"
        sed 's/^/    /' "$scratch/said"
        failures=$((failures + 1))
    fi
}

gcc -fno-builtin "$root/tests/options/subject.c" -o "$scratch/subject"

expect 0 "!hepta:.*" "nothing is said without options" "" use-memory
expect 0 "hepta: unknown option 'fast' in HEPTA_OPTIONS=key:value,key:value; known are: .*check.*" \
    "an unknown option is named, and the program runs" "fast:yes" use-memory
expect 0 "hepta: bad value 'maybe' for option 'check' in HEPTA_OPTIONS; it takes on or off" \
    "a bad value is named, and the program runs" "check:maybe" use-memory
expect 0 "hepta:   check (on or off; default off): .*" "help prints the options" "help" use-memory
expect 0 "use it" "and the program runs all the same" "help" "use it"

double="hepta: free(): double free of 0x[0-9a-f]*"
expect 134 "$double" "check finds a double free" "check:on" free-twice after
expect 134 "!after" "at once" "check:on" free-twice after
expect 0 "$double" "report_only reports it" "check:on,report_only:on" free-twice after
expect 0 "after" "and the program goes on" "check:on,report_only:on" free-twice after
expect 134 "!after" "report_only:off is the default" "check:on,report_only:off" free-twice after

expect 0 "hepta: mapped bytes  *=  *[1-9][0-9]*" "stats reports at exit" "stats:on" use-memory
expect 0 "!hepta: mapped bytes.*" "and only when asked" "stats:off" use-memory
expect 0 "<malloc version=\"1\">" "malloc_info writes" "" use-memory malloc-info

reads_as_xml() {
    env LD_PRELOAD="$library/libhepta.so" "$scratch/subject" use-memory malloc-info > "$scratch/xml"
    python3 - "$scratch/xml" << 'END'
import sys, xml.etree.ElementTree
root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
assert root.tag == "malloc" and root.get("version") == "1"
total = sum(int(size.get("count")) for size in root.find("heap/sizes"))
assert total > 0 and int(root.find("total[@type='rest']").get("count")) == total
assert int(root.find("system[@type='current']").get("size")) >= 4 << 20
assert int(root.find("hepta").get("in_use")) >= 100000 and len(root.find("hepta")) >= 4
END
}
if reads_as_xml; then
    echo "ok   malloc_info writes XML with the figures where glibc has them"
else
    echo "FAIL malloc_info writes XML"
    failures=$((failures + 1))
fi

# Of a program that runs with more rights than its user has, the user sets nothing.
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
    gcc -fno-builtin "$root/tests/options/subject.c" "$library/libhepta.a" \
        -lurcu-bp -lurcu-common -lpthread -o "$scratch/raised"
    chmod 755 "$scratch"
    chmod 4755 "$scratch/raised"
    said=$(env HEPTA_OPTIONS=help setpriv --reuid=65534 --clear-groups "$scratch/raised" "done" 2>&1)
    as_owner=$(env HEPTA_OPTIONS=help "$scratch/raised" "done" 2>&1)
    if [ "$said" = "done" ] && [ "$as_owner" != "done" ]; then
        echo "ok   a set-user-ID program ignores the variable"
    else
        echo "FAIL a set-user-ID program ignores the variable: it says $said"
        failures=$((failures + 1))
    fi
fi

[ $failures = 0 ]
