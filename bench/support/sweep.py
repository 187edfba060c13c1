"""Programs that run on every allocator in turn, for what is no row of the bench: latency and growth.

Allocators, launching and the description of the machine are those of the bench: bench/runner.
"""

import csv
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/runner"))

import allocators as allocators_of  # noqa: E402
import machine  # noqa: E402
import plots  # noqa: E402
import settings as settings_of  # noqa: E402
from measure import Measurer  # noqa: E402

RESULTS, PICTURES = ROOT / "bench/results", ROOT / "docs/img"
FIELD = re.compile(r"(\S+)=(\S+)")


class UnwarmedMeasurer(Measurer):
    """Where what is measured comes after all memory has been touched: warming it would only take time."""

    def _warm_attempt(self, row, allocator, timeout_seconds):
        return self._attempt(row, allocator, 0, timeout_seconds)


class Sweep:
    """What the caller asks for, the allocators, and where results go."""

    def __init__(self, target, rounds):
        self.settings = settings_of.from_environment()
        self.settings.command = self.settings.command.replace("make bench", f"make {target}")
        if "ROUNDS" not in self.settings.command:
            self.settings.rounds = 1 if self.settings.quick else rounds
        library = str(self.settings.build / "lib/libhepta.so.1")
        self.allocators = allocators_of.all_allocators(library, self.settings.extra, self.settings.wanted)
        self.comment = machine.description(ROOT, self.settings.command, self.allocators)
        self.settings.out.mkdir(parents=True, exist_ok=True)
        self.failures = []

    def names(self):
        """As they are shown: hepta, then the others."""
        return sorted((a.name for a in self.allocators), key=lambda name: name != allocators_of.HEPTA)

    def order(self, number):
        """Another allocator is first in every round."""
        start = number % len(self.allocators)
        return self.allocators[start:] + self.allocators[:start]

    def measurer(self, warms=True):
        kind = Measurer if warms else UnwarmedMeasurer
        return kind(self.settings, 20)

    def run(self, measurer, row, allocator, timeout_seconds=120):
        """The run and the fields of each line that it wrote; None if it failed."""
        print(f"\r{row.name} on {allocator.name}".ljust(60), end="", file=sys.stderr, flush=True)
        run = measurer.measure(row, allocator, timeout_seconds)
        print("\r" + " " * 60, end="\r", file=sys.stderr, flush=True)
        if run.failed:
            words = measurer.last_words().replace("\n", "\n    ")
            self.failures.append(f"{row.name} failed on {allocator.name}: {run.end}\n    {words}")
            print(self.failures[-1], file=sys.stderr)
            return None
        text = Path(measurer.output).read_text(encoding="utf-8", errors="replace")
        return run, [dict(FIELD.findall(line)) for line in text.splitlines()]

    def write(self, name, columns, lines, folders=None):
        """The CSV file, in the bench's folder, and among the results if they are recorded; or in other folders."""
        folders = folders or [self.settings.out] + ([RESULTS] if self.settings.record else [])
        for folder in folders:
            with open(folder / name, "w", encoding="utf-8", newline="") as file:
                file.write(f"# {self.comment}\n")
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(columns)
                writer.writerows([line.get(column, "") for column in columns] for line in lines)

    def picture(self, name):
        return (PICTURES if self.settings.record else self.settings.out) / name

    def done(self, name, picture):
        where = RESULTS if self.settings.record else self.settings.out
        print(f"\n{where / name}\n{self.picture(picture)}")
        return 1 if self.failures else 0


def draw(script, **variables):
    """gnuplot with variables: lists are separated by blanks."""
    texts = {key: " ".join(value) if isinstance(value, list) else value for key, value in variables.items()}
    words = [f"{key}={v}" if isinstance(v, (int, float)) else f"{key}='{v}'" for key, v in texts.items()]
    subprocess.run(["gnuplot", "-e", "; ".join(words), str(script)], check=True)


def colors(names):
    of = plots.colors(names)
    return [of[name] for name in names]


def table(head, lines):
    """Columns of text: the first two to the left, the others to the right."""
    widths = [max(len(str(line[i])) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, *lines]:
        cells = [f"{cell:<{width}}" if i < 2 else f"{cell:>{width}}" for i, (cell, width) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())
