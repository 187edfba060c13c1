#!/bin/bash
# sqlite3 on hepta: a million rows in memory, indexed, joined, changed and deleted.
. "$(dirname "$0")/programs/common.sh"

needs sqlite3
expect_binds sqlite3 :memory: 'select 1'

cat > "$scratch/million.sql" << 'SQL'
create table item(id integer primary key, name text, amount integer, note text);
with recursive number(value) as (select 1 union all select value + 1 from number where value < 1000000)
insert into item
select value, 'item ' || value, value * 7 % 1000, substr('a note of some length, or none', 1, value % 31)
from number;
create index by_amount on item(amount, name);
update item set note = note || name where amount < 100;
delete from item where id % 3 = 0;
create table total as select amount, count(*) as count, group_concat(id) as ids from item group by amount;
select count(*), sum(count), sum(length(ids)) from total;
select count(*), sum(length(note)), max(name) from item;
pragma integrity_check;
drop table item;
vacuum;
SQL

answer() { "$@" sqlite3 :memory: < "$scratch/million.sql"; }
export -f answer
answer env > "$scratch/on_glibc"
same_answer() {
    LD_PRELOAD=$library sqlite3 :memory: < "$scratch/million.sql" > "$scratch/on_hepta" &&
        cmp "$scratch/on_glibc" "$scratch/on_hepta" && grep -qx ok "$scratch/on_hepta"
}
export library scratch
export -f same_answer
succeeds "a million rows: the same answers as on glibc" bash -c same_answer
finish
