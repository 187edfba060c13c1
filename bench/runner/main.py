#!/usr/bin/env python3
"""The bench: every row on every allocator, round after round. `make bench` calls it.

    QUICK=1              small, few rounds, and at most as many rows as fit into its time
    ROWS="word ..."      rows whose names contain a word
    ROUNDS=5             how often each row runs on each allocator
    SCALE=1              how much a row has to do
    ALLOCATORS="a b"     these allocators only
    ALLOC="name=/path/lib.so ..."   others besides
    REDOS=3              how often a run is done again that other processes disturbed
    CLOCK=cpu            processor time instead of the row's own time: for a machine that is not quiet
    TIMEOUT=120          seconds after which a run has failed
    RECORD=0             leave the committed results alone (so do QUICK, ROWS, ALLOCATORS, SCALE and
                         CLOCK, unless RECORD=1)

Every bench leaves its results in BUILD/bench/results. `main.py report` draws what is recorded again.
"""

import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

import allocators  # noqa: E402
import document  # noqa: E402
import machine  # noqa: E402
import results  # noqa: E402
import rows  # noqa: E402
import settings as settings_of  # noqa: E402
import terminal  # noqa: E402
from measure import LaunchError, Run  # noqa: E402
from ratios import Comparison  # noqa: E402
from schedule import Schedule  # noqa: E402

RESULTS = settings_of.ROOT / "bench/results"
PAGE = settings_of.ROOT / "docs/benchmarks.md"
PICTURES = settings_of.ROOT / "docs/img"
EXPECTED = (
    rows.RowError,
    allocators.AllocatorError,
    document.DocumentError,
    LaunchError,
    OSError,
    subprocess.CalledProcessError,
)


def run(settings):
    chosen = rows.select(rows.read(settings.row_files), settings.words)
    if not chosen:
        asked = f" with any of the words {settings.words} in its name" if settings.words else ""
        raise rows.RowError(f"there is no row{asked} in bench/rows")
    if settings.quick:
        chosen = rows.spread_over_groups(chosen)
    compared = allocators.all_allocators(
        str(settings.build / "lib/libhepta.so.1"), settings.extra, settings.wanted
    )
    comment = machine.description(settings_of.ROOT, settings.command, compared)
    settings.out.mkdir(parents=True, exist_ok=True)
    table = results.Table(settings.out / results.RUNS_NAME, Run, comment)
    schedule = Schedule(settings, chosen, compared, table.add)
    try:
        schedule.run()
    finally:
        table.close()
    if settings.quick:
        print(
            f"QUICK: scale {settings.scale:g}, {len(chosen) - len(schedule.left_out)} of {len(chosen)} "
            f"rows, {settings.rounds} rounds of them as far as time allowed: a first look, no figures "
            "to quote."
        )
    if schedule.left_out:
        print("Left out: " + " ".join(row.name for row in schedule.left_out))
    return comment, schedule.runs


def report(settings, comment, runs):
    """Tables and pictures of a bench that has compared something, and a look at it here."""
    summary = results.summarize(runs)
    results.write_summary(settings.out / results.SUMMARY_NAME, summary, comment)
    comparison = Comparison(summary)
    print(comment, terminal.text(comparison), sep="\n\n")
    if settings.record:
        RESULTS.mkdir(exist_ok=True)
        for name in (results.RUNS_NAME, results.SUMMARY_NAME):
            shutil.copyfile(settings.out / name, RESULTS / name)
        document.write(comparison, comment, PAGE, PAGE, PICTURES)
        print(f"\nRecorded in {RESULTS}, {PAGE} and {PICTURES}.")
    else:
        if len(comparison.rows) > 1:
            document.write(comparison, comment, settings.out / PAGE.name, PAGE, settings.out)
        print(f"\nNot recorded: results, tables and pictures are in {settings.out}.")


def draw_again():
    """The page and the pictures, from the recorded results."""
    comment, summary = results.read_summary(RESULTS / results.SUMMARY_NAME)
    document.write(Comparison(summary), comment, PAGE, PAGE, PICTURES)


def main():
    settings = settings_of.from_environment()
    try:
        if sys.argv[1:] == ["report"]:
            draw_again()
        else:
            report(settings, *run(settings))
    except EXPECTED as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nbench: broken off; what there was is in {settings.out}", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
