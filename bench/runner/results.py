"""The results as files: every run, and one line for each row and allocator."""

import csv
from dataclasses import dataclass, fields
from statistics import median

from measure import Run

RUNS_NAME, SUMMARY_NAME = "bench_runs.csv", "bench.csv"


@dataclass
class Result:
    """What the runs of one row on one allocator come to. A row that failed once has failed."""

    row: str
    group: str
    allocator: str
    seconds: float
    seconds_min: float
    seconds_max: float
    spread: float  # (max - min) / median
    operations: int  # 0 where the row does not tell
    peak_kib: int
    peak_kib_min: int
    peak_kib_max: int
    runs: int
    disturbed: int
    failed: int


def summarize(runs):
    """In the order in which rows and allocators first appear."""
    together = {}
    for run in runs:
        together.setdefault((run.row, run.allocator), []).append(run)
    return [_result_of(those) for those in together.values()]


def _result_of(runs):
    seconds = [run.seconds for run in runs if not run.failed] or [0.0]
    peaks = [run.peak_kib for run in runs if not run.failed] or [0]
    middle = median(seconds)
    return Result(
        row=runs[0].row,
        group=runs[0].group,
        allocator=runs[0].allocator,
        seconds=middle,
        seconds_min=min(seconds),
        seconds_max=max(seconds),
        spread=(max(seconds) - min(seconds)) / middle if middle else 0.0,
        operations=runs[0].operations,
        peak_kib=round(median(peaks)),
        peak_kib_min=min(peaks),
        peak_kib_max=max(peaks),
        runs=len(runs),
        disturbed=sum(run.disturbed for run in runs),
        failed=sum(run.failed for run in runs),
    )


def _text(value):
    return f"{value:.6f}" if isinstance(value, float) else str(value)


class Table:
    """A CSV file whose first line is a comment; grows line by line, so that a broken bench leaves some."""

    def __init__(self, path, kind, comment):
        self.file = open(path, "w", encoding="utf-8", newline="")
        self.names = [field.name for field in fields(kind)]
        self.file.write(f"# {comment}\n")
        self.writer = csv.writer(self.file, lineterminator="\n")
        self.writer.writerow(self.names)

    def add(self, item):
        self.writer.writerow([_text(getattr(item, name)) for name in self.names])
        self.file.flush()

    def close(self):
        self.file.close()


def write_summary(path, results, comment):
    table = Table(path, Result, comment)
    for result in results:
        table.add(result)
    table.close()


def read(path, kind):
    """The comment and the lines of a file that Table wrote."""
    with open(path, encoding="utf-8", newline="") as file:
        comment = file.readline().lstrip("# ").rstrip("\n")
        types = {field.name: field.type for field in fields(kind)}
        items = [
            kind(**{name: types[name](value) for name, value in line.items()})
            for line in csv.DictReader(file)
        ]
    return comment, items


def read_runs(path):
    return read(path, Run)


def read_summary(path):
    return read(path, Result)
