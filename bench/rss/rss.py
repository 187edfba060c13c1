#!/usr/bin/env python3
"""Resident memory over time, on every allocator: `make bench-rss` calls it. bench/rss/scenarios.py and the
programs beside it say what each scenario does.

Takes QUICK, ROUNDS, ALLOCATORS, ALLOC, RECORD, SCALE and ROWS (words of scenarios) as make bench does. Of each
figure the median over the rounds is kept, and the samples of the first round. Where programs mostly wait for the
clock, those of all allocators run at the same time, because it is memory that is measured; the times of the scenario
that has any are those of one program at a time. System calls are counted by strace, in runs of their own.

`rss.py report` draws what is recorded again.
"""

import csv
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "support"))

from sweep import PICTURES, RESULTS, ROOT, Sweep  # noqa: E402
import document  # noqa: E402
import report  # noqa: E402
from rows import Row  # noqa: E402
from scenarios import SCENARIOS, Said, end_point, figure_of  # noqa: E402

IDLE_MS = 3000  # three times hepta's decay_ms
INTERVAL_MS = 10
TRACED_SECONDS = 20
TIMEOUT_SECONDS = 240  # on a machine that is not quiet the paced ones may lag behind
CSV, SERIES, PICTURE = "rss.csv", "rss_series.csv", "bench-rss.svg"
PAGE = ROOT / "docs/benchmarks.md"
COLUMNS = ["scenario", "allocator", "rounds", "disturbed", "peak_kib", "peak_kib_min", "peak_kib_max"]
COLUMNS += ["at", "rss_kib", "live_kib", "maps", "figure", "figure_is", "seconds"]
COLUMNS += ["calls", "madvise_per_second", "points"]
SERIES_COLUMNS = ["scenario", "allocator", "milliseconds", "rss_kib", "live_kib"]


@dataclass
class Runs:
    """All runs of a scenario on an allocator."""

    runs: list = field(default_factory=list)
    said: list = field(default_factory=list)
    seconds: list = field(default_factory=list)
    series: list = field(default_factory=list)  # of the first
    calls: dict = field(default_factory=dict)  # name: number, and `total`
    traced_seconds: float = 0.0


def arguments(scenario, settings, seconds=0, idle_ms=IDLE_MS):
    seconds = seconds or scenario.seconds[settings.quick] or 1
    return f"$BENCH/rss scenario={scenario.name} scale={settings.scale:g} idle_ms={idle_ms} seconds={seconds}"


def watched_row(scenario, settings, series):
    command = f"$BENCH/watch {series} {INTERVAL_MS} {arguments(scenario, settings)}"
    if scenario.threads:
        bare = f"{arguments(scenario, settings, idle_ms=0)} allocates=0"
        command = f"$BENCH/watch /dev/null 100 {bare} && {command}"
    return Row(f"rss {scenario.name}", "single", command, True)


def traced_row(scenario, settings, summary):
    seconds = min(TRACED_SECONDS, scenario.seconds[settings.quick])
    strace = f"strace -f --seccomp-bpf -c -e trace=%memory,process_madvise -E LD_PRELOAD=$BENCH_PRELOAD -o {summary}"
    # Its lines: per cent, seconds, microseconds a call, calls, errors if any, name.
    show = "awk '$4 ~ /^[0-9]+$/ { print \"call=\" $NF, \"count=\" $4 }'"
    command = f"{strace} {arguments(scenario, settings, seconds)} && {show} {summary}"
    return Row(f"rss {scenario.name} traced", "single", command, True)


def sections(lines):
    """The points of each program that ran, one after the other."""
    found = []
    for fields in lines:
        if fields.get("point") == "start":
            found.append({})
        if "point" in fields:
            found[-1][fields["point"]] = fields
    return found


def thinned(path, count):
    """The last sample of each of `count` equal spans."""
    samples = [tuple(map(int, line.split())) for line in path.read_text().splitlines()]
    if not samples:
        return []
    span = samples[-1][0] / count + 1e-9
    return list({int(sample[0] / span): sample for sample in samples}.values())


def madvise_per_second(runs):
    if not runs.calls:
        return ""
    return f"{(runs.calls.get('madvise', 0) + runs.calls.get('process_madvise', 0)) / runs.traced_seconds:.1f}"


class Bench:
    def __init__(self):
        self.sweep = Sweep("bench-rss", 3)
        self.settings = self.sweep.settings
        self.seen = {}  # (scenario, allocator): Runs
        words = self.settings.words
        self.chosen = [s for s in SCENARIOS if not words or any(word in s.name for word in words)]
        self.timed = self.sweep.measurer()

    def measurer(self, scenario, allocator):
        """Each lane writes to a file of its own. What is not timed need not be warm or undisturbed."""
        if scenario.is_timed:
            return self.timed
        measurer = self.sweep.measurer(warms=False)
        measurer.output += f"-{allocator.name}"
        measurer.redos = 0
        return measurer

    def measure_one(self, scenario, allocator):
        series = self.settings.out / f"series-{allocator.name}"
        row = watched_row(scenario, self.settings, series)
        result = self.sweep.run(self.measurer(scenario, allocator), row, allocator, TIMEOUT_SECONDS)
        if result is None:
            return
        run, lines = result
        *bare, points = sections(lines)
        threads = int(scenario.threads * self.settings.scale) + 1
        runs = self.seen.setdefault((scenario.name, allocator.name), Runs())
        runs.runs.append(run)
        runs.said.append(Said(points, bare[0] if bare else {}, threads))
        runs.seconds += [float(fields["seconds"]) for fields in lines if "seconds" in fields]
        runs.series = runs.series or thinned(series, scenario.samples)
        series.unlink()

    def trace_one(self, scenario, allocator):
        summary = self.settings.out / f"calls-{allocator.name}"
        row = traced_row(scenario, self.settings, summary)
        result = self.sweep.run(self.measurer(scenario, allocator), row, allocator, TIMEOUT_SECONDS)
        if result is not None and (scenario.name, allocator.name) in self.seen:
            counts = {fields["call"]: int(fields["count"]) for fields in result[1] if "call" in fields}
            runs = self.seen[scenario.name, allocator.name]
            runs.calls, runs.traced_seconds = counts, result[0].wall
            summary.unlink()

    def measure(self):
        for number in range(self.settings.rounds):
            for scenario in self.chosen:
                self.on_all(scenario, number, self.measure_one)
                if scenario.is_traced and number == 0:
                    self.on_all(scenario, number, self.trace_one)
            self.keep(self.settings.out)

    def keep(self, *folders):
        """After each round: a bench that is broken off leaves what it has."""
        self.sweep.write(CSV, COLUMNS, list(self.lines()), folders)
        self.sweep.write(SERIES, SERIES_COLUMNS, list(self.series()), folders)

    def on_all(self, scenario, number, measure):
        with ThreadPoolExecutor(scenario.lanes) as lanes:
            list(lanes.map(lambda allocator: measure(scenario, allocator), self.sweep.order(number)))

    def lines(self):
        for scenario in self.chosen:
            for name in self.sweep.names():
                if (scenario.name, name) in self.seen:
                    yield self.line(scenario, name, self.seen[scenario.name, name])

    def line(self, scenario, name, runs):
        peaks = [run.peak_kib for run in runs.runs]
        ends = [end_point(scenario, said) for said in runs.said]
        figures = [figure_of(scenario, said) for said in runs.said]
        points = runs.said[0].points
        return {
            "scenario": scenario.name,
            "allocator": name,
            "rounds": len(runs.runs),
            "disturbed": sum(run.disturbed for run in runs.runs) if scenario.is_timed else "",
            "peak_kib": round(median(peaks)),
            "peak_kib_min": min(peaks),
            "peak_kib_max": max(peaks),
            "at": ends[0]["point"],
            "rss_kib": round(median(int(fields["rss_kib"]) for fields in ends)),
            "live_kib": round(median(int(fields["live_kib"]) for fields in ends)),
            "maps": max(int(fields["maps"]) for said in runs.said for fields in said.points.values()),
            "figure": "" if figures[0] is None else f"{median(figures):.3f}",
            "figure_is": scenario.figure_is,
            "seconds": f"{median(runs.seconds):.3f}" if runs.seconds else "",
            "calls": runs.calls.get("total", ""),
            "madvise_per_second": madvise_per_second(runs),
            "points": " ".join(f"{point}={fields['rss_kib']}" for point, fields in points.items()),
        }

    def series(self):
        for scenario in self.chosen:
            for name in self.sweep.names():
                for sample in self.seen.get((scenario.name, name), Runs()).series:
                    yield dict(zip(SERIES_COLUMNS, (scenario.name, name, *sample)))


def write_page(results, page_path, picture):
    text = report.page(results, Path("img" if picture.parent.name == "img" else ".") / picture.name)
    page = document.between_markers(PAGE.read_text(encoding="utf-8"), text, "bench-rss")
    page_path.write_text(page, encoding="utf-8")


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.readline().lstrip("# ").rstrip("\n"), list(csv.DictReader(file))


def show(folder, page, picture):
    """Writes the page and the picture, from the files in the folder."""
    comment, lines = read(folder / CSV)
    _, series = read(folder / SERIES)
    results = report.Results(comment, lines)
    report.draw(results, series, picture)
    write_page(results, page, picture)
    return results


def main():
    if sys.argv[1:] == ["report"]:
        show(RESULTS, PAGE, PICTURES / PICTURE)
        return 0
    bench = Bench()
    sweep = bench.sweep
    bench.measure()
    folders = [sweep.settings.out] + ([RESULTS] if sweep.settings.record else [])
    bench.keep(*folders)
    if bench.seen:
        page = PAGE if sweep.settings.record else sweep.settings.out / "benchmarks_rss.md"
        report.show(show(folders[-1], page, sweep.picture(PICTURE)))
    if sweep.settings.quick:
        print("\nQUICK: a first look, no figures to quote.")
    return sweep.done(CSV, PICTURE)


if __name__ == "__main__":
    sys.exit(main())
