"""The rows of the bench: what is run, and to which group it belongs."""

from dataclasses import dataclass

GROUPS = {
    "single": "One thread",
    "two": "Two threads",
    "sixteen": "Sixteen threads",
    "many": "Many threads",
    "handover": "Handover: one thread allocates, another frees",
    "program": "Real programs",
    "limit": "Physical limits",
}
LIMIT = "limit"


@dataclass(frozen=True)
class Row:
    name: str
    group: str
    command: str

    @property
    def is_limit(self):
        """A limit has no allocator in it: it runs on the system's malloc only."""
        return self.group == LIMIT


class RowError(Exception):
    pass


def read(paths):
    """The rows of all files, group by group. A line is name, group and command, with tabs between."""
    rows, names = [], set()
    for path in paths:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = line.split("\t")
            where = f"{path.name}:{number}"
            if len(fields) != 3 or not all(field.strip() for field in fields):
                raise RowError(f"{where}: a row is a name, a group and a command, with tabs between")
            name, group, command = (field.strip() for field in fields)
            if group not in GROUPS:
                raise RowError(f"{where}: no group {group}; there are {', '.join(GROUPS)}")
            if name in names:
                raise RowError(f"{where}: a second row {name}")
            names.add(name)
            rows.append(Row(name, group, command))
    order = list(GROUPS)
    return sorted(rows, key=lambda row: order.index(row.group))


def select(rows, words):
    """The rows whose names contain one of the words; all of them when there is no word."""
    return [row for row in rows if not words or any(word in row.name for word in words)]


def spread_over_groups(rows):
    """The same rows, each group's first ones first: what a bench with little time should begin with."""
    place, seen = {}, {}
    for row in rows:
        place[row.name] = seen.get(row.group, 0)
        seen[row.group] = place[row.name] + 1
    return sorted(rows, key=lambda row: place[row.name])
