"""sql.py SCALE: memory.sql, few statements over many rows; file.sql, many statements over few rows each."""

import random
import sys

scale = float(sys.argv[1])
chooser = random.Random(10)
words = ["".join(chooser.choices("etaoinshrdlucm", k=chooser.randint(2, 9))) for _ in range(1000)]

MEMORY = """
create table item(id integer primary key, name text, amount integer, note text);
with recursive number(value) as (select 1 union all select value + 1 from number where value < {rows})
insert into item
select value, 'item ' || value, value * 7 % 1000, substr('a note of some length, or none', 1, value % 31)
from number;
create table sale(item integer, day integer, count integer, buyer text);
insert into sale select id * 13 % {rows} + 1, id % 365, amount % 9, 'buyer ' || (id % 997) from item;
create index by_amount on item(amount, name);
create index by_item on sale(item, day);
update item set note = note || name where amount < 200;
create table total as
select amount, count(*) as items, group_concat(id) as ids, sum(count) as sold
from item join sale on sale.item = item.id group by amount;
select count(*), sum(items), sum(length(ids)), sum(sold) from total;
select buyer, count(distinct day), max(name) from sale join item on item.id = sale.item
group by buyer order by 2 desc, 1 limit 10;
delete from item where id % 3 = 0;
select count(*), sum(length(note)), max(name) from item;
select sum(length(json)) from (
    select json_group_array(json_object('id', id, 'name', name, 'note', note)) as json from item group by amount);
select sum(place) from (select rank() over (partition by amount % 50 order by name) as place from item);
pragma integrity_check;
"""


def text(least, most):
    return " ".join(chooser.choices(words, k=chooser.randint(least, most)))


def statement(number):
    kind = chooser.randrange(10)
    if kind < 4:
        return f"insert into page values({number}, '{text(1, 5)}', {chooser.randrange(90)}, '{text(2, 60)}');"
    if kind < 6:
        return f"update page set body = body || '{text(1, 9)}', kind = kind + 1 where id = {chooser.randrange(number)};"
    if kind < 7:
        return f"delete from page where id = {chooser.randrange(number)};"
    if kind < 8:
        return (
            f"select a.title, count(*), sum(length(b.body)) from page a join page b on b.kind = a.kind"
            f" where a.id = {chooser.randrange(number)} and b.title > '{chooser.choice(words)}' group by 1;"
        )
    return f"select upper(title), substr(body, 3, 20), replace(body, 'e', 'ee') from page where id = {chooser.randrange(number)};"


with open("memory.sql", "w") as file:
    file.write(MEMORY.format(rows=max(1000, round(120000 * scale))))

with open("file.sql", "w") as file:
    # The disk is not what is measured.
    file.write("pragma journal_mode = wal;\npragma synchronous = off;\n")
    file.write("create table page(id integer primary key, title text, kind integer, body text);\n")
    file.write("create index by_title on page(title, kind);\ncreate index by_kind on page(kind);\n")
    for number in range(1, max(100, round(40000 * scale))):
        if number % 10 == 1:
            file.write("begin;\n")
        file.write(statement(number) + "\n")
        if number % 10 == 0:
            file.write("commit;\n")
    if number % 10 != 0:
        file.write("commit;\n")
    file.write("select count(*), sum(length(body)), max(title) from page;\npragma integrity_check;\n")
