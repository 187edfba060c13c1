#!/usr/bin/env python3
"""How long each malloc and each free takes, on every allocator in turn. `make bench-latency` calls it.

Takes QUICK, ROUNDS, ALLOCATORS, ALLOC, RECORD and ROWS (words of cases) as make bench does. Of each figure
the median over the rounds is kept. Nothing is subtracted: what an interval with nothing in it took is a
line of its own, `nothing`, and in it is all that the machine adds: the clock itself, interrupts,
preemption by other threads (most of all in the case of 1,000 threads), the host.

max_without_faults is the largest of those batches of 512 in which the thread had no page fault,
max_undisturbed of those in which it was not preempted either; empty where there was no such batch.
`disturbed` counts the rounds in which other processes or the host took more of the processors than
the bench's rows put up with.
"""

import math
import sys
import tempfile
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "support"))

from sweep import Sweep, colors, draw, table  # noqa: E402
from rows import Row  # noqa: E402

SMALL = "least=16 most=1024"
CASES = {
    "one-small": ("One thread, 16 to 1,024 bytes", f"threads=1 {SMALL}"),
    "one-medium": ("One thread, 1 to 32 KiB", "threads=1 least=1024 most=32768"),
    "one-large": ("One thread, 32 KiB to 1 MiB", "threads=1 least=32768 most=1048576 live=64"),
    "two-small": ("Two threads, 16 to 1,024 bytes", f"threads=2 {SMALL}"),
    "handover": ("One allocates, another frees, 16 to 1,024 bytes", f"what=handover threads=2 {SMALL}"),
    "thousand": ("1,000 threads, 16 to 1,024 bytes", f"threads=1000 live=200 {SMALL}"),
}
SAMPLES, QUICK_SAMPLES = 1000000, 100000
PERCENTS = ["10", "25", "50", "75", "90", "95", "99", "99.5", "99.9", "99.95", "99.99", "99.995", "99.999"]
MOSTS = ["max", "max_without_faults", "max_undisturbed"]
FIGURES = [f"p{percent}" for percent in PERCENTS] + MOSTS
COUNTS = ["faults", "preemptions"]
COLUMNS = ["case", "call", "allocator", "rounds", "disturbed", "samples", *FIGURES, *COUNTS]
SHOWN = ["p50", "p90", "p99", "p99.9", "p99.99", *MOSTS]
CSV, PICTURE = "latency.csv", "bench-latency.svg"
DRAWN = ["malloc", "free"]


def rows(settings):
    samples = QUICK_SAMPLES if settings.quick else SAMPLES
    for name, (_, arguments) in CASES.items():
        if not settings.words or any(word in name for word in settings.words):
            yield name, Row(f"latency {name}", "single", f"$BENCH/latency samples={samples} {arguments}")


def measure(sweep):
    """{(case, call, allocator): [fields of a round]}"""
    seen = {}
    measurer = sweep.measurer()
    for number in range(sweep.settings.rounds):
        for case, row in rows(sweep.settings):
            for allocator in sweep.order(number):
                result = sweep.run(measurer, row, allocator)
                if result is None:
                    continue
                run, (whole, *calls) = result
                for call in calls:
                    call.update({name: whole[name] for name in COUNTS}, disturbed=run.disturbed)
                    seen.setdefault((case, call["call"], allocator.name), []).append(call)
    return seen


def middle(rounds, name):
    """The median; a largest value of 0 is one that no batch gave."""
    values = [float(fields[name]) for fields in rounds]
    if name in MOSTS:
        values = [value for value in values if value > 0]
    return median(values) if values else None


def summarize(seen):
    for (case, call, allocator), rounds in sorted(seen.items(), key=lambda item: list(CASES).index(item[0][0])):
        line = {"case": case, "call": call, "allocator": allocator, "rounds": len(rounds)}
        line["disturbed"] = sum(fields["disturbed"] for fields in rounds)
        line["samples"] = rounds[0]["samples"]
        for name in FIGURES + COUNTS:
            value = middle(rounds, name)
            line[name] = "" if value is None else f"{value:.0f}" if name in MOSTS + COUNTS else f"{value:.1f}"
        yield line


def show(lines):
    print("Nanoseconds, with the clock's own time; medians of the rounds.\n")
    for case, (title, _) in CASES.items():
        those = [line for line in lines if line["case"] == case]
        if those:
            print(title)
            cells = [[f"  {line['call']}", line["allocator"], *(line[name] for name in SHOWN)] for line in those]
            table(["", "", *SHOWN], cells)
            counts = ", ".join(
                f"{line['allocator']} {line['faults']}/{line['preemptions']}" for line in those if line["call"] == "malloc"
            )
            print(f"  page faults / preemptions meanwhile: {counts}\n")


def nines(percent):
    """The axis: 0 for 0 %, 1 for 90 %, 2 for 99 %, ..."""
    return -math.log10(1 - float(percent) / 100)


def write_curve(path, line):
    with open(path, "w", encoding="utf-8") as file:
        for percent in PERCENTS:
            file.write(f"{nines(percent):.4f} {line[f'p{percent}']}\n")


def picture(sweep, lines):
    names = sweep.names()
    cases = [case for case in CASES if any(line["case"] == case for line in lines)]
    with tempfile.TemporaryDirectory() as folder:
        for line in lines:
            if line["call"] in DRAWN:
                write_curve(f"{folder}/{line['case']}.{line['call']}.{line['allocator']}", line)
            elif line["call"] == "nothing" and line["allocator"] == names[0]:
                write_curve(f"{folder}/{line['case']}.nothing", line)
        draw(
            HERE / "latency.gnuplot",
            out=str(sweep.picture(PICTURE)),
            folder=folder,
            names=names,
            colors=colors(names),
            cases=cases,
            titles="|".join(CASES[case][0] for case in cases),
        )


def main():
    sweep = Sweep("bench-latency", 5)
    lines = list(summarize(measure(sweep)))
    sweep.write(CSV, COLUMNS, lines)
    show(lines)
    if lines:
        picture(sweep, lines)
    return sweep.done(CSV, PICTURE)


if __name__ == "__main__":
    sys.exit(main())
