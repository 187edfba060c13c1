#!/bin/bash
# Programs in scripting languages: scripts.sh python-words|python-json|python-ast|perl-words|lua-tables [scale=F]
. "$(dirname "$0")/common.sh"

# Python would serve small objects from arenas of its own.
export PYTHONMALLOC=malloc PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1
python=(/usr/bin/python3 -S)

case $row in
python-words) needs "${python[0]}" && measured output "${python[@]}" "$programs/python/words.py" "$(scaled 150000)" ;;
python-json) needs "${python[0]}" && measured output "${python[@]}" "$programs/python/documents.py" "$(scaled 4000)" ;;
python-ast) needs "${python[0]}" && measured output "${python[@]}" "$programs/python/trees.py" "$(scaled 200)" ;;
perl-words) needs perl && measured output perl "$programs/scripts/words.pl" "$(scaled 60000)" ;;
lua-tables) needs lua5.4 && measured output lua5.4 "$programs/scripts/tables.lua" "$(scaled 120000)" ;;
*) fail "no such row" ;;
esac
