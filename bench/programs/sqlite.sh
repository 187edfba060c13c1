#!/bin/bash
# sqlite3: sqlite.sh sqlite-memory|sqlite-file [scale=F]
#
# In memory a few statements work on many rows; on a file thousands of statements are parsed, each for a few rows.
. "$(dirname "$0")/common.sh"

needs sqlite3
generated sql "$scale"
case $row in
sqlite-memory) measured output sqlite3 -bail :memory: ".read $input/memory.sql" ;;
sqlite-file)
    restore() { rm -f "$scratch"/file.db*; }
    measured output sqlite3 -bail "$scratch/file.db" ".read $input/file.sql"
    ;;
*) fail "no such row" ;;
esac
