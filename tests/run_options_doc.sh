#!/bin/sh
# The documentation of the options is what their table says; and the check of that notices when not.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

check() { "$root/tools/options_doc.sh" check "$scratch" > "$scratch/output" 2>&1; }
fail() {
    echo "FAIL $1"
    exit 1
}

"$root/tools/options_doc.sh" check "$root"

mkdir "$scratch/docs"
cp -r "$root/src" "$root/include" "$root/tools" "$scratch"
cp -r "$root/docs/options.md" "$root/docs/man" "$scratch/docs"
check || fail "a copy of the tree is up to date"

sed -i 's/the process exits/the process ends/' "$scratch/docs/options.md"
! check || fail "a changed page is noticed"

cp "$root/docs/options.md" "$scratch/docs"
sed -i 's/this is slower/this is slow/' "$scratch/src/service/options_table.c"
! check || fail "a changed table is noticed"

"$root/tools/options_doc.sh" write "$scratch"
check || fail "writing brings the pages up to date"
grep -q "this is slow\." "$scratch/docs/options.md" || fail "options.md follows the table"
grep -q "this is slow\." "$scratch/docs/man/hepta.7" || fail "hepta.7 follows the table"
grep -q "^\.SH DIAGNOSTICS" "$scratch/docs/man/hepta.7" || fail "the rest of hepta.7 stays"
