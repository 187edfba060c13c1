#!/usr/bin/env python3
"""Time per operation against live heap, threads, and the share of frees by another thread, on every
allocator in turn. `make bench-growth` calls it.

Takes QUICK, ROUNDS, ALLOCATORS, ALLOC, RECORD and ROWS (words of curves: heap, threads, cross) as make
bench does. Heaps that are larger than what is left of 40 % of the free memory are left out; from 2 GiB on a
heap is built once only.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "support"))

from sweep import Sweep, colors, draw, table  # noqa: E402
from allocators import SYSTEM  # noqa: E402
from measure import free_mib  # noqa: E402
from rows import Row  # noqa: E402

HEAP, THREADS, CROSS = "heap_mib", "threads", "cross_percent"
LIMIT = "limit"
ONCE_FROM_MIB = 2048
SHARE_OF_FREE = 0.4
HEAPS = [1 << power for power in range(14)]
QUICK_HEAPS = [1, 8, 64, 512]
TEAMS = [1 << power for power in range(13)]
QUICK_TEAMS = [1, 2, 16, 256, 4096]
SHARES = list(range(0, 101, 10))
QUICK_SHARES = [0, 50, 100]
COLUMNS = ["curve", "x", "allocator", "ns_per_operation", "ns_min", "ns_max", "peak_kib", "runs", "disturbed"]
CSV, PICTURE = "growth.csv", "bench-growth.svg"
TITLES = {
    HEAP: "Nanoseconds per replacement, by MiB alive (one thread; limit: the same memory without malloc)",
    THREADS: "Million replacements per second of all threads together, by their number",
    CROSS: "Nanoseconds per replacement of two threads, by per cent that the other one frees",
}


def heap_row(mib, quick, limit):
    operations = 500000 if quick else 2000000
    return Row(f"{mib} MiB", "single", f"$BENCH/heap mib={mib} operations={operations} limit={int(limit)}")


def threads_row(threads, quick):
    # So that starting the threads counts for little.
    scale = (0.1 if quick else 0.4) * (1 if threads <= 256 else 4)
    return Row(f"{threads} threads", "single", f"$BENCH/cross_free threads={threads} cross=0 live=64 scale={scale}")


def cross_row(percent, quick):
    scale = 0.1 if quick else 0.4
    return Row(f"{percent} % cross", "single", f"$BENCH/cross_free threads=2 cross={percent} scale={scale}")


class Growth:
    def __init__(self):
        self.sweep = Sweep("bench-growth", 3)
        self.quick = self.sweep.settings.quick
        self.seen = {}  # (curve, x, allocator): [Run]

    def wants(self, curve):
        words = self.sweep.settings.words
        return not words or any(word in curve for word in words)

    def measure_one(self, measurer, curve, x, name, row, allocator):
        result = self.sweep.run(measurer, row, allocator, timeout_seconds=300)
        if result is not None:
            self.seen.setdefault((curve, x, name), []).append(result[0])

    def measure_heaps(self, number):
        measurer = self.sweep.measurer(warms=False)
        system = next((a for a in self.sweep.allocators if a.name == SYSTEM), self.sweep.allocators[0])
        for mib in QUICK_HEAPS if self.quick else HEAPS:
            if number > 0 and mib >= ONCE_FROM_MIB:
                continue
            if mib > free_mib() * SHARE_OF_FREE:
                print(f"bench-growth: no memory for a heap of {mib} MiB", file=sys.stderr)
                continue
            self.measure_one(measurer, HEAP, mib, LIMIT, heap_row(mib, self.quick, True), system)
            for allocator in self.sweep.order(number):
                row = heap_row(mib, self.quick, False)
                self.measure_one(measurer, HEAP, mib, allocator.name, row, allocator)

    def measure_others(self, number):
        measurer = self.sweep.measurer()
        curves = (
            (THREADS, QUICK_TEAMS if self.quick else TEAMS, threads_row),
            (CROSS, QUICK_SHARES if self.quick else SHARES, cross_row),
        )
        for curve, xs, row_of in curves:
            for x in xs if self.wants(curve) else []:
                for allocator in self.sweep.order(number):
                    row = row_of(x, self.quick)
                    self.measure_one(measurer, curve, x, allocator.name, row, allocator)

    def measure(self):
        for number in range(self.sweep.settings.rounds):
            if self.wants(HEAP):
                self.measure_heaps(number)
            self.measure_others(number)

    def lines(self):
        for (curve, x, name), runs in self.seen.items():
            times = [run.seconds / run.operations * 1e9 for run in runs]
            yield {
                "curve": curve,
                "x": x,
                "allocator": name,
                "ns_per_operation": f"{median(times):.2f}",
                "ns_min": f"{min(times):.2f}",
                "ns_max": f"{max(times):.2f}",
                "peak_kib": round(median(run.peak_kib for run in runs)),
                "runs": len(runs),
                "disturbed": sum(run.disturbed for run in runs),
            }


def figure(curve, line):
    """What is shown: nanoseconds, or millions per second."""
    nanoseconds = float(line["ns_per_operation"])
    return 1e3 / nanoseconds if curve == THREADS else nanoseconds


def show(lines, names):
    for curve, title in TITLES.items():
        of = {(line["x"], line["allocator"]): line for line in lines if line["curve"] == curve}
        shown = ([LIMIT] if curve == HEAP else []) + names
        xs = sorted({x for x, _ in of})
        if xs:
            print(title)
            cells = [[f"{figure(curve, of[x, n]):.1f}" if (x, n) in of else "" for n in shown] for x in xs]
            table(["", "", *shown], [["", x, *row] for x, row in zip(xs, cells)])
            print()


def picture(sweep, lines, names):
    with tempfile.TemporaryDirectory() as folder:
        for curve in TITLES:
            for name in [LIMIT, *names]:
                those = [line for line in lines if (line["curve"], line["allocator"]) == (curve, name)]
                with open(f"{folder}/{curve}.{name}", "w", encoding="utf-8") as file:
                    for line in sorted(those, key=lambda line: line["x"]):
                        file.write(f"{line['x']} {figure(curve, line):.3f}\n")
        draw(HERE / "growth.gnuplot", out=str(sweep.picture(PICTURE)), folder=folder, names=names, colors=colors(names))


def main():
    growth = Growth()
    growth.measure()
    lines = sorted(growth.lines(), key=lambda line: (list(TITLES).index(line["curve"]), line["x"]))
    names = growth.sweep.names()
    growth.sweep.write(CSV, COLUMNS, lines)
    show(lines, names)
    if lines:
        picture(growth.sweep, lines, names)
    return growth.sweep.done(CSV, PICTURE)


if __name__ == "__main__":
    sys.exit(main())
