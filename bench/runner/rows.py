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
    measures_itself: bool = False  # tells its peak memory, and sets LD_PRELOAD where it belongs

    @property
    def is_limit(self):
        """A limit has no allocator in it: it runs on the system's malloc only."""
        return self.group == LIMIT


class RowError(Exception):
    pass


def read(paths):
    """The rows of all files, group by group. A line is name, group and command, with tabs between, and
    `self` as a fourth for a row that measures itself: it gets the allocator's library as BENCH_PRELOAD.
    """
    rows, names = [], set()
    for path in paths:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = [field.strip() for field in line.split("\t")]
            where = f"{path.name}:{number}"
            if len(fields) not in (3, 4) or not all(fields) or fields[3:] not in ([], ["self"]):
                raise RowError(f"{where}: a row is a name, a group, a command and at most `self`")
            name, group, command = fields[:3]
            if group not in GROUPS:
                raise RowError(f"{where}: no group {group}; there are {', '.join(GROUPS)}")
            if name in names:
                raise RowError(f"{where}: a second row {name}")
            names.add(name)
            rows.append(Row(name, group, command, len(fields) == 4))
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
