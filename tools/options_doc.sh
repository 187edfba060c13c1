#!/bin/sh
# Writes what the documentation says of the options from their table: docs/options.md, and the part of
# docs/man/hepta.7 between its two marks. options_doc.sh check: only says whether they are up to date.
set -eu
mode=${1:-write}
cd "${2:-$(dirname "$0")/..}"
case $mode in
write | check) ;;
*)
    echo "usage: $0 [write|check] [root]" >&2
    exit 2
    ;;
esac

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The table names functions of the whole library; nothing here calls them.
${CC:-gcc} -std=gnu11 -D_GNU_SOURCE= -Iinclude -Isrc -static -Wl,--unresolved-symbols=ignore-all \
    tools/options_doc.c src/service/options.c src/service/options_table.c src/platform/report.c \
    -o "$scratch/options_doc"

"$scratch/options_doc" markdown > "$scratch/options.md"
"$scratch/options_doc" man > "$scratch/part"
sed -e '/^\.\\" options: begin/,/^\.\\" options: end/ {
    /^\.\\" options: begin/ {
        p
        r '"$scratch/part"'
    }
    /^\.\\" options: end/ p
    d
}' docs/man/hepta.7 > "$scratch/hepta.7"

same() { cmp -s "$1" "$2" || { echo "$2 is not what the table says: run tools/options_doc.sh"; false; }; }

if [ "$mode" = check ]; then
    same "$scratch/options.md" docs/options.md && same "$scratch/hepta.7" docs/man/hepta.7 &&
        echo "options_doc: ok"
else
    cat "$scratch/options.md" > docs/options.md
    cat "$scratch/hepta.7" > docs/man/hepta.7
fi
